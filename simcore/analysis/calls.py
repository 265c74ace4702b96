"""Calls that return to where they came from: what goes past what is called, and what goes through it.

A subroutine is one piece of code for all who call it, so following control flow alone leads in at one call and out
behind another. What a register held before the one would then be needed before the other.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from simcore.analysis.control_flow import Block


@dataclass(frozen=True)
class Subroutine:
    """Code that is called.

    Attributes:
        body: its blocks, and those of what it calls.
        ends: those of its blocks that return.
        behind: the blocks that it returns to.
    """

    body: frozenset[int]
    ends: frozenset[int]
    behind: frozenset[int]


def subroutines(blocks: list[Block]) -> dict[int, Subroutine]:
    """The subroutines of a kernel by their first blocks; none if a call may return to anywhere else."""
    calls = [block for block in blocks if block.calls is not None]
    if any(block.returns_to is None for block in calls) or any(block.jumps_anywhere for block in blocks):
        return {}
    found = {}
    for entry in {block.calls for block in calls if block.calls is not None}:
        own = _reached(blocks, entry, enters_calls=False)
        behind = frozenset(b.returns_to for b in calls if b.calls == entry and b.returns_to is not None)
        ends = frozenset(number for number in own if blocks[number].returns)
        found[entry] = Subroutine(frozenset(_reached(blocks, entry, enters_calls=True)), ends, behind)
    called = {number for subroutine in found.values() for number in subroutine.ends}
    returning = {number for number, block in enumerate(blocks) if block.returns}
    kernel = _reached(blocks, 0, enters_calls=False)
    return found if called == returning and not kernel & returning else {}


def _reached(blocks: list[Block], first: int, enters_calls: bool) -> set[int]:
    """The blocks that control comes to from one on before it returns."""
    reached: set[int] = set()
    pending = [first]
    while pending:
        number = pending.pop()
        if number not in reached:
            reached.add(number)
            pending += _next(blocks[number], enters_calls)
    return reached


def _next(block: Block, enters_calls: bool) -> Iterator[int]:
    if block.calls is None:
        yield from () if block.returns else block.successors
        return
    if block.returns_to is not None:
        yield block.returns_to
    if enters_calls:
        yield block.calls
