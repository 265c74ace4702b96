"""Spilled registers: words of local memory at places that are known beforehand, so that values are followed through
them as through registers.

A compiler addresses them from the stack pointer, which keeps its value once a kernel has begun. A kernel that also
indexes local memory at run time, moves the stack pointer later, or has accesses that may go anywhere, has none.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simcore.analysis.control_flow import Block
from simcore.core import isa
from simcore.core.execution import memory
from simcore.core.geometry import WORD_BYTES
from simcore.lowering.effects import ALL_LANES, Effects
from simcore.lowering.program import Program

STACK_POINTER = 1
"""The register that spilled registers are addressed from; arrays that are indexed at run time have others, too."""


@dataclass(frozen=True, eq=False)
class Followed:
    """What a slice follows. Compared by identity, so that derived data can be cached.

    Attributes:
        effects: of each instruction; the bits of slots follow those of predicates.
        first_predicate: its bit.
        width: bits.
    """

    effects: tuple[Effects, ...]
    first_predicate: int
    width: int


def without_slots(program: Program) -> Followed:
    """A program's effects as they are."""
    rows = program.rows.own
    return Followed(program.effects, rows, rows + isa.PREDICATES)


def with_slots(program: Program, blocks: list[Block]) -> Followed:
    """A program's effects, in which accesses to slots are reads and writes of these instead of local memory."""
    plain = without_slots(program)
    accesses = [i for i, effect in enumerate(program.effects) if isa.SPACE_LOCAL in _spaces(effect)]
    records = program.code[accesses]
    if not accesses or not (_keeps_stack_pointer(program, blocks, accesses[0]) and _are_at_slots(records)):
        return plain
    words = [range(first, end) for first, end in zip(*_words(records), strict=True)]
    bits = {word: 1 << number for number, word in enumerate(sorted(set().union(*words)), start=plain.width)}
    effects = list(program.effects)
    for i, accessed, operation in zip(accesses, words, records["operation"].tolist(), strict=True):
        effects[i] = _of_slots(effects[i], operation, sum(bits[word] for word in accessed))
    return Followed(tuple(effects), plain.first_predicate, plain.width + len(bits))


def _spaces(effect: Effects) -> frozenset[int]:
    return effect.memory_reads | effect.memory_writes


def _keeps_stack_pointer(program: Program, blocks: list[Block], access: int) -> bool:
    """Whether the stack pointer is set once in all lanes, where the kernel begins and before a first access."""
    writers = [i for i, effect in enumerate(program.effects) if effect.writes >> STACK_POINTER & 1]
    comes_back = any(0 in block.successors or block.jumps_anywhere for block in blocks)
    return not comes_back and all(
        i < min(access, blocks[0].end) and program.effects[i].guard == ALL_LANES for i in writers
    )


def _are_at_slots(records: NDArray[np.void]) -> bool:
    """Whether all load words from fixed distances to the stack pointer, or store them there."""
    return bool(
        np.isin(records["operation"], (memory.LOAD, memory.STORE)).all()
        and (records["space"] == isa.SPACE_LOCAL).all()
        and (records["address_mode"] == isa.ADDRESS_HAS_BASE).all()
        and (records["address_base"] == STACK_POINTER).all()
        and not (records["width"] % WORD_BYTES | records["value"] % WORD_BYTES).any()
    )


def _words(records: NDArray[np.void]) -> tuple[list[int], list[int]]:
    """The first word that each accesses, counted from the stack pointer, and the one after the last."""
    first = records["value"] // WORD_BYTES
    return first.tolist(), (first + records["width"] // WORD_BYTES).tolist()


def _of_slots(effect: Effects, operation: int, slots: int) -> Effects:
    """The effects of an access to slots, a bit set."""
    nothing: frozenset[int] = frozenset()
    if operation == memory.STORE:
        return effect._replace(writes=slots, overwrites=True, memory_writes=nothing)
    return effect._replace(sources=effect.sources | slots, memory_reads=nothing)
