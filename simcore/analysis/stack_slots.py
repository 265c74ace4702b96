"""Spilled registers: words of local memory at places that are known beforehand, so that values are followed through
them as through registers.

A compiler addresses them from the stack pointer, which keeps its value once a kernel has begun. A kernel that also
indexes local memory at run time, moves the stack pointer later, or has accesses that may go anywhere, has none.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from simcore.analysis.control_flow import Block
from simcore.core import isa
from simcore.core.execution import memory
from simcore.core.geometry import WORD_BYTES
from simcore.lowering.effects import ALL_LANES, Effects
from simcore.lowering.program import Program

STACK_POINTER = 1
"""The register that spilled registers are addressed from; arrays that are indexed at run time have others, too."""


@dataclass(frozen=True)
class Followed:
    """What a slice follows.

    Attributes:
        effects: of each instruction; the bits of slots follow those of predicates.
        width: bits.
    """

    effects: tuple[Effects, ...]
    width: int


def with_slots(program: Program, blocks: list[Block]) -> Followed:
    """A program's effects, in which accesses to slots are reads and writes of these instead of local memory."""
    first = program.rows.own + isa.PREDICATES
    accesses = [i for i, effect in enumerate(program.effects) if isa.SPACE_LOCAL in _spaces(effect)]
    if not accesses or not _have_slots(program, blocks, accesses):
        return Followed(program.effects, first)
    words = sorted({word for i in accesses for word in _words(program, i)})
    bits = {word: 1 << number for number, word in enumerate(words, start=first)}
    effects = list(program.effects)
    for i in accesses:
        effects[i] = _of_slots(program, i, sum(bits[word] for word in _words(program, i)))
    return Followed(tuple(effects), first + len(words))


def _have_slots(program: Program, blocks: list[Block], accesses: list[int]) -> bool:
    """Whether all accesses to local memory are at slots."""
    keeps = _keeps_stack_pointer(program, blocks, accesses[0])
    return keeps and all(_is_at_a_slot(program, i) for i in accesses)


def _spaces(effect: Effects) -> frozenset[int]:
    return effect.memory_reads | effect.memory_writes


def _keeps_stack_pointer(program: Program, blocks: list[Block], access: int) -> bool:
    """Whether the stack pointer is set once in all lanes, where the kernel begins and before a first access."""
    writers = [i for i, effect in enumerate(program.effects) if effect.writes >> STACK_POINTER & 1]
    comes_back = any(0 in block.successors or block.jumps_anywhere for block in blocks)
    return not comes_back and all(
        i < min(access, blocks[0].end) and program.effects[i].guard == ALL_LANES for i in writers
    )


def _is_at_a_slot(program: Program, index: int) -> bool:
    """Whether an instruction loads words from a fixed distance to the stack pointer, or stores them there."""
    record = program.code[index]
    return bool(
        record["operation"] in (memory.LOAD, memory.STORE)
        and record["space"] == isa.SPACE_LOCAL
        and record["address_mode"] == isa.ADDRESS_HAS_BASE
        and record["address_base"] == STACK_POINTER
        and record["width"] % WORD_BYTES == 0
        and record["value"] % WORD_BYTES == 0
    )


def _words(program: Program, index: int) -> Iterator[int]:
    """The words, counted from the stack pointer, that an instruction accesses."""
    record = program.code[index]
    first = int(record["value"]) // WORD_BYTES
    yield from range(first, first + int(record["width"]) // WORD_BYTES)


def _of_slots(program: Program, index: int, slots: int) -> Effects:
    """The effects of an access to slots, a bit set."""
    effect = program.effects[index]
    nothing: frozenset[int] = frozenset()
    if program.code[index]["operation"] == memory.STORE:
        return effect._replace(writes=slots, overwrites=True, memory_writes=nothing)
    return effect._replace(sources=effect.sources | slots, memory_reads=nothing)
