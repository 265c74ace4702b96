"""Mixes of operations of several pipes, as measured on an H200 (benchmarks/silicon/micro/core/wide_products)."""

import pytest

from testing import silicon_data

PATTERNS = {
    "D": 30, "C": 31, "R": 32, "N": 33, "CD": 34, "RDDDD": 41, "CRN": 43, "DF": 48, "DFF": 49, "DDF": 51, "DA": 52,
    "DAA": 53, "DI": 55, "E": 57, "EF": 58, "EFF": 59, "EA": 61, "REEEE": 65,
}  # fmt: skip
"""D: DFMA; E: the same of three values that change; C, R, N: conversions; F: FFMA; A: IADD3; I: IMAD."""

PRODUCTS = {"W": 0, "WAA": 2, "WIA": 8, "WF": 12, "WFA": 15, "WWAAA": 17, "H": 21}
"""W: IMAD.WIDE; H: IMAD.HI."""


@pytest.mark.parametrize("block_size", [256, 1024])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_fp64_reuses_operands_beside_others(pattern: str, block_size: int) -> None:
    measured, predicted = silicon_data.times(
        "wide_products", "h200", pattern=PATTERNS[pattern], block_size=block_size
    )
    assert predicted == pytest.approx(measured, rel=0.12 if pattern == "DF" else 0.09)


@pytest.mark.parametrize("block_size", [256, 1024])
@pytest.mark.parametrize("pattern", PRODUCTS)
def test_wide_products_hold_others_up(pattern: str, block_size: int) -> None:
    measured, predicted = silicon_data.times(
        "wide_products", "h200", pattern=PRODUCTS[pattern], block_size=block_size
    )
    assert predicted == pytest.approx(measured, rel=0.06)
