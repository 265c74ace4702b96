"""The possible successors of each instruction, and the resulting basic blocks."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simcore.core import isa
from simcore.core.execution import control
from simcore.core.geometry import INSTRUCTION_BYTES
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
        calls: the block that it ends by calling, if that is known.
        returns_to: the block behind the call, if it passes its address on to return to.
        returns: whether it ends by returning from a call.
    """

    first: int
    end: int
    successors: tuple[int, ...]
    jumps_anywhere: bool
    calls: int | None = None
    returns_to: int | None = None
    returns: bool = False


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
        calls = block_at[int(code[end - 1]["target"])] if _calls_known(program, end - 1) else None
        comes_back = calls is not None and end < count and _names_address(program, first, end)
        blocks.append(
            Block(
                first,
                end,
                successors=tuple(following),
                jumps_anywhere=_jumps_anywhere(program, end - 1),
                calls=calls,
                returns_to=block_at[end] if comes_back else None,
                returns=bool(operations[end - 1] == control.RET),
            )
        )
    return blocks


def _names_address(program: Program, first: int, end: int) -> bool:
    """Whether a block's instructions have the address behind it among their operands."""
    address = end * INSTRUCTION_BYTES
    return any(
        operand.kind == "integer" and operand.value == address
        for instruction in program.instructions[first:end]
        for operand in instruction.operands
    )


def _calls_known(program: Program, index: int) -> bool:
    record = program.code[index]
    return bool(record["operation"] == control.CALL and record["target"] >= 0)


def _jumps_anywhere(program: Program, index: int) -> bool:
    operation = program.code[index]["operation"]
    return bool(operation == control.BRX or operation == control.CALL) and not _calls_known(program, index)


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
