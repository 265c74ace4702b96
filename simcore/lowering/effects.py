"""What an instruction reads and writes, according to its entry in the opcode table.

Registers and predicates are bit sets: bit r is row r of the warp; the warp's predicates follow.
"""

from typing import NamedTuple

from simcore.core import isa

Guard = tuple[int, bool]
"""A predicate, and whether it is negated."""

ALL_LANES: Guard = (isa.PREDICATE_TRUE, False)

Spaces = frozenset[int]
"""Memory spaces, `isa.SPACE_*`."""

SAME_IN_ALL_BLOCKS, DIFFERS_ALONG_X, DIFFERS_IN_PLANE, DIFFERS = range(4)
"""Along how many grid axes, starting with x, a result can differ."""


class Effects(NamedTuple):
    """What one instruction reads and writes.

    A read is needed in the lanes that pass the guard, or in all lanes: for operations across lanes, uniform
    registers (of which one lane is read), and predicates.

    Attributes:
        guard: the active lanes.
        guard_bits: the guard predicate.
        sources: read under the guard, to form the result.
        sources_everywhere: read in all lanes, to form the result.
        address: read under the guard, to form the address.
        address_everywhere: read in all lanes, to form the address.
        writes: overwritten in the active lanes.
        overwrites: whether all of `writes` is always overwritten there.
        is_control: whether it is control flow, which is always executed.
        is_addressed: whether it computes an address, which timing depends on.
        is_timed_by_result: whether its latency depends on its result.
        memory_reads: the memory spaces that it may read.
        memory_writes: the memory spaces that it may write.
        block: how its result differs between blocks, apart from what it reads: `DIFFERS` or less.
    """

    guard: Guard
    guard_bits: int
    sources: int
    sources_everywhere: int
    address: int
    address_everywhere: int
    writes: int
    overwrites: bool
    is_control: bool
    is_addressed: bool
    is_timed_by_result: bool
    memory_reads: Spaces
    memory_writes: Spaces
    block: int
