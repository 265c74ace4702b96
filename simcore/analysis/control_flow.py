"""The possible successors of each instruction, and the resulting basic blocks."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simcore.core import isa
from simcore.core.execution import control
from simcore.lowering.program import Program

_JUMPS = (control.BRA, control.BRA_DIV, control.BRX, control.CALL, control.RET, control.EXIT)


@dataclass(frozen=True)
class Block:
    """A basic block.

    Attributes:
        first: the first instruction.
        end: the instruction after the last.
        successors: the possible next blocks.
        jumps_anywhere: whether it ends in an indirect jump, which may target any instruction.
    """

    first: int
    end: int
    successors: tuple[int, ...]
    jumps_anywhere: bool


def blocks_of(program: Program) -> list[Block]:
    """The basic blocks of a kernel, in code order."""
    code = program.code
    operations = code["operation"]
    count = len(code)
    jumps = np.flatnonzero(np.isin(operations, _JUMPS))
    leaders = {0, *(jumps + 1).tolist(), *code["target"].tolist()}
    starts = sorted(start for start in leaders if 0 <= start < count)
    block_at = {start: number for number, start in enumerate(starts)}
    returns = [int(i) + 1 for i in np.flatnonzero(operations == control.CALL)]
    blocks = []
    for first, end in zip(starts, [*starts[1:], count], strict=True):
        following = (block_at[i] for i in set(_successors(program, end - 1, returns)) if i < count)
        blocks.append(Block(first, end, tuple(following), _jumps_anywhere(program, end - 1)))
    return blocks


def _jumps_anywhere(program: Program, index: int) -> bool:
    record = program.code[index]
    return bool(
        record["operation"] == control.BRX or (record["operation"] == control.CALL and record["target"] < 0)
    )


def _successors(program: Program, index: int, returns: list[int]) -> Iterator[int]:
    record = program.code[index]
    operation = int(record["operation"])
    if operation in (control.BRA, control.BRA_DIV, control.CALL) and record["target"] >= 0:
        yield int(record["target"])
    elif operation == control.RET:
        yield from returns
    always = (isa.PREDICATE_TRUE, 0)
    unconditional = (
        (record["guard"], record["guard_flip"]) == always
        and (record["predicate_in_0"], record["predicate_in_0_flip"]) == always
        and operation != control.BRA_DIV
    )
    if operation not in _JUMPS or not unconditional:
        yield index + 1


def calls_back(program: Program) -> bool:
    """Whether a call targets earlier code; every recursion contains such a call."""
    calls = np.flatnonzero((program.code["operation"] == control.CALL) & (program.code["target"] >= 0))
    return bool((program.code["target"][calls] <= calls).any())
