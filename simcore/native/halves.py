"""Packed halves, of which stretches know what compilers write for a move: a constant added to a product of zeros."""

from collections.abc import Sequence

from simcore.core import isa
from simcore.core.execution.arithmetic import halves, integers
from simcore.lowering.program import ZERO_ROWS, Key

_EXPONENT, _BFLOAT_EXPONENT = 0x7C00, 0x7F80
_HALF = 0xFFFF


def as_move(fields: dict[str, int], shared: Sequence[Key]) -> dict[str, int]:
    """An instruction's fields; of HFMA2 with two zeros and a constant, those of a move of the constant.

    Args:
        shared: what the shared rows hold (see `lowering.program.Rows`).
    """
    if fields["operation"] != halves.HFMA2 or not _adds_to_zero(fields):
        return fields
    kind, word, _ = shared[~fields["c"] - ZERO_ROWS]
    exponent = _BFLOAT_EXPONENT if fields["mode"] == halves.BFLOAT else _EXPONENT
    if kind != "value" or not all(_is_plain(half, exponent) for half in (word & _HALF, word >> 16)):
        return fields
    return fields | {"operation": integers.MOV, "a": fields["c"], "a_flip": 0, "mode": 0}


def _adds_to_zero(fields: dict[str, int]) -> bool:
    is_plain = fields["mode"] in (0, halves.BFLOAT) and fields["value"] == 0 and fields["c_flip"] == 0
    zeros = all(-ZERO_ROWS <= fields[name] < 0 for name in "ab")
    return is_plain and zeros and fields["c"] < -ZERO_ROWS and fields["c_keep"] == isa.FULL_MASK


def _is_plain(half: int, exponent: int) -> bool:
    """Whether a sum with zero leaves a half as it is: zero, or a normal number."""
    return half == 0 or half & exponent not in (0, exponent)
