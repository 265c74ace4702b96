"""Copies past L1 to shared memory, as measured (benchmarks/silicon/micro/l1/copy_layouts)."""

import pytest

from testing.silicon_data import times

GPUS = ("h200", "h100-sxm")


def copied(gpu: str, row: int, pad: int = 0, offset: int = 0, swizzled: int = 0) -> tuple[float, float]:
    layout = {"row": row, "pad": pad, "swizzled": swizzled, "offset": offset}
    return times("copy_layouts", gpu, bytes=16, cached=0, fresh=1, **layout)


@pytest.mark.parametrize("row", [64, 128])
@pytest.mark.parametrize("offset", [16, 80])
@pytest.mark.parametrize("gpu", GPUS)
def test_parted_sectors_come_twice(gpu: str, row: int, offset: int) -> None:
    measured, predicted = copied(gpu, row, offset=offset)
    assert predicted == pytest.approx(measured, rel=0.1)


@pytest.mark.parametrize("row", [64, 128, 256])
@pytest.mark.parametrize("gpu", GPUS)
def test_so_a_padding_of_half_a_sector_costs_what_one_of_two_does_not(gpu: str, row: int) -> None:
    (padded, predicted_padded), (wider, predicted_wider) = copied(gpu, row, pad=16), copied(gpu, row, pad=64)
    assert padded > 1.3 * wider
    assert predicted_padded > 1.1 * predicted_wider


@pytest.mark.parametrize("row", [64, 128])
@pytest.mark.parametrize("gpu", GPUS)
def test_exchanged_halves_stay_in_their_sector(gpu: str, row: int) -> None:
    (swizzled, predicted_swizzled), (plain, predicted_plain) = copied(gpu, row, swizzled=1), copied(gpu, row)
    assert swizzled == pytest.approx(plain, rel=0.05)
    assert predicted_swizzled == pytest.approx(predicted_plain, rel=0.05)
