"""What an instruction reads and writes, as its entry in the opcode table states it.

Registers and predicates are bit sets: bit r is row r of the warp, then come the warp's predicates.
"""

from typing import NamedTuple

from simcore.core import isa

Guard = tuple[int, bool]
"""A predicate, and whether it is negated."""

ALL_LANES: Guard = (isa.PREDICATE_TRUE, False)

Spaces = frozenset[int]
"""Memory spaces, `isa.SPACE_*`."""

SAME_IN_ALL_BLOCKS, DIFFERS_ALONG_X, DIFFERS_IN_PLANE, DIFFERS = range(4)
"""How many axes of the grid, from x on, a result can differ along."""


class Effects(NamedTuple):
    """What one instruction reads and writes.

    A read is needed in the lanes that the guard lets through, or everywhere: where lanes look at each other,
    in uniform registers (of which one lane is read), and of predicates.

    Attributes:
        guard: the active lanes.
        guard_bits: the guard predicate.
        sources: read under the guard, to form the result.
        sources_everywhere: read in all lanes, to form the result.
        address: read under the guard, to form the address.
        address_everywhere: read in all lanes, to form the address.
        writes: overwritten in the active lanes.
        overwrites: whether all of `writes` is certain to be overwritten there.
        is_control: whether it steers the warp, so that it is always executed.
        is_addressed: whether it forms an address, which timing depends on.
        is_timed_by_result: whether its latency depends on its result.
        memory_reads: the memory spaces that it may read.
        memory_writes: the memory spaces that it may write.
        block: how its result differs between blocks, other than through what it reads: `DIFFERS` or less.
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
