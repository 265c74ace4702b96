"""Which instructions a stretch executes, and where it may be entered."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from simcore.core import isa
from simcore.core.execution import control
from simcore.native import (
    bits,
    conversions,
    doubles,
    floats,
    integers,
    matrices,
    memory,
    operations,
    packed,
    packed_halves,
    predicates,
    shuffles,
    special,
    special_functions,
)
from simcore.native.state import Instruction

__all__ = [
    "bits",
    "conversions",
    "doubles",
    "floats",
    "integers",
    "matrices",
    "packed",
    "packed_halves",
    "predicates",
    "shuffles",
    "special_functions",
]  # their emitters are registered

WAITS_ALONE = (control.NOP, control.DEPBAR, control.COPY_GROUP, control.MEMBAR)
"""What a stretch has nothing to do for."""

MEETINGS = (control.BSYNC, control.WARPSYNC)
_JUMPS = (control.BRA, control.BRA_DIV, control.CALL, control.EXIT)


def is_known(ins: Instruction, action: int) -> bool:
    """Whether a stretch executes an instruction, at least where lanes agree."""
    family = ins.operation >> isa.FAMILY_BITS
    if family == isa.CONTROL:
        return _is_known_control(ins)
    if action == isa.SKIP:
        return True
    if family == isa.MEMORY:
        return memory.is_known(ins, action)
    return special.is_known(ins) or operations.is_known(ins)


def _is_known_control(ins: Instruction) -> bool:
    if ins.operation in MEETINGS:
        return ins.is_unguarded
    if ins.operation == control.CALL:
        return ins.is_unguarded and ins.target >= 0
    if ins.operation == control.EXIT:
        return not is_unconditional(ins)
    return ins.operation in (*WAITS_ALONE, control.BSSY, control.BRA, control.BRA_DIV)


def is_taken_by_all(ins: Instruction) -> bool:
    """Whether all active lanes take a branch if any does."""
    return ins.operation == control.BRA and ins.mode == control.IF_ANY


def is_unconditional(ins: Instruction) -> bool:
    """Whether all active lanes jump or exit."""
    other = (ins.predicate_in_0, ins.predicate_in_0_flip)
    return ins.operation != control.BRA_DIV and ins.is_unguarded and other == (isa.PREDICATE_TRUE, 0)


Runs = tuple[tuple[int, int], ...]
"""Of instructions, entered at the first only: that, and the one after the last."""


def runs(
    instructions: Sequence[Instruction], action: NDArray[np.uint8], visited: NDArray[np.uint8]
) -> Iterator[tuple[int, int]]:
    """The runs that a stretch executes: of those that it can, what was visited, and where a warp goes on from there."""
    following = -1
    for first, end in _possible(instructions, action):
        if first == following or visited[first:end].any():
            yield first, end
            following = end if instructions[end - 1].operation >> isa.FAMILY_BITS != isa.CONTROL else -1


def _possible(instructions: Sequence[Instruction], action: NDArray[np.uint8]) -> Iterator[tuple[int, int]]:
    """The runs that a stretch can execute."""
    known = [is_known(ins, int(action[ins.index])) for ins in instructions]
    leaders = {0, *(ins.target for ins in instructions if ins.target >= 0)}
    leaders |= {
        ins.index + 1 for ins in instructions if not known[ins.index] or ins.operation in (*_JUMPS, *MEETINGS)
    }
    first: int | None = None
    for index in range(len(instructions) + 1):
        ends = index == len(instructions) or index in leaders or not known[index]
        if first is not None and ends:
            yield first, index
            first = None
        if first is None and index < len(instructions) and known[index]:
            first = index
