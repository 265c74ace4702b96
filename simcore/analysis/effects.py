"""What each instruction reads and writes, as bit sets: bit r is row r of the warp, then come its predicates.

This mirrors what `simcore.core` does with a record, word by word.
"""

from dataclasses import dataclass
from typing import NamedTuple

from simcore.core import isa
from simcore.lowering.program import Program

Guard = tuple[int, bool]
"""A predicate, and whether it is negated."""

ALL_LANES: Guard = (isa.PREDICATE_TRUE, False)
ADDRESSED = frozenset({isa.LOAD, isa.STORE, isa.ATOMIC, isa.COPY_TO_SHARED, isa.LOAD_MATRIX})
"""Operations that form an address, which timing depends on."""

_CONSTANT_PREDICATES = (isa.PREDICATE_TRUE, isa.UNIFORM_PREDICATE_TRUE, isa.PREDICATE_TRASH)
_WITHOUT_DESTINATION = (isa.STORE, isa.COPY_TO_SHARED)
_ACROSS_LANES = frozenset(
    {
        isa.SHFL,
        isa.VOTE,
        isa.MATCH,
        isa.REDUX,
        isa.R2UR,
        isa.ELECT,
        isa.HMMA,
        isa.DMMA,
        isa.MOVM,
        isa.LOAD_MATRIX,
    }
)


class Effects(NamedTuple):
    """What one instruction reads and writes.

    A read is needed in the lanes that the guard lets through, or everywhere: where lanes look at each other,
    in uniform registers (of which one lane is read), and of predicates.

    Attributes:
        guard: the lanes that take part.
        guard_bits: the guard predicate.
        sources: read under the guard, to form the result.
        sources_everywhere: read in all lanes, to form the result.
        address: read under the guard, to form the address.
        address_everywhere: read in all lanes, to form the address.
        writes: overwritten in the lanes that take part.
        overwrites: whether all of `writes` is certain to be overwritten there.
    """

    guard: Guard
    guard_bits: int
    sources: int
    sources_everywhere: int
    address: int
    address_everywhere: int
    writes: int
    overwrites: bool


def effects_of(program: Program) -> list[Effects]:
    """The effects of each instruction."""
    reader = _Reader(program.rows.registers, program.rows.trash, program.rows.own)
    return [reader.effects(dict(zip(_FIELDS, values, strict=True))) for values in _columns(program)]


_FIELDS = (
    "operation", "guard", "guard_flip", "predicate_in_0", "predicate_in_1", "predicate_out_0",
    "predicate_out_1", "a", "b", "c", "sources", "pairs", "mode", "value", "width", "destination",
    "destination_words", "address_mode", "address_base", "address_uniform",
)  # fmt: skip


def _columns(program: Program) -> "zip[tuple[int, ...]]":
    return zip(*(program.code[name].tolist() for name in _FIELDS), strict=True)


@dataclass(frozen=True)
class _Reader:
    """Reads effects off records.

    Attributes:
        registers: rows before the uniform registers.
        trash: the first row whose content nobody reads.
        own: rows of a warp, where the bits of the predicates start.
    """

    registers: int
    trash: int
    own: int

    def effects(self, record: dict[str, int]) -> Effects:
        """The effects of one instruction."""
        operation = record["operation"]
        guard_bits = self._predicate(record["guard"])
        under_guard, everywhere = self._sources(record)
        address, address_everywhere = self._address(record)
        if operation in _ACROSS_LANES or operation < isa.LAST_CONTROL:
            under_guard, everywhere = 0, everywhere | under_guard
            address, address_everywhere = 0, address_everywhere | address
        return Effects(
            guard=(record["guard"], bool(record["guard_flip"])),
            guard_bits=guard_bits,
            sources=under_guard,
            sources_everywhere=everywhere,
            address=address,
            address_everywhere=address_everywhere,
            writes=self._writes(record),
            overwrites=operation != isa.R2P,
        )

    def _sources(self, record: dict[str, int]) -> tuple[int, int]:
        under_guard = 0
        everywhere = self._predicate(record["predicate_in_0"]) | self._predicate(record["predicate_in_1"])
        if record["operation"] == isa.PLOP3:
            for slot in "abc":
                everywhere |= self._predicate(record[slot])
            return 0, everywhere
        if record["operation"] == isa.P2R:
            everywhere |= self._numbered_predicates()
        for slot, words in zip("abc", _source_words(record), strict=True):
            if record[slot] >= self.registers:
                everywhere |= _rows(record[slot], words)
            else:
                under_guard |= _rows(record[slot], words)
        return under_guard, everywhere

    def _address(self, record: dict[str, int]) -> tuple[int, int]:
        base = uniform = 0
        mode = record["address_mode"]
        if mode & isa.ADDRESS_HAS_BASE:
            base = _rows(record["address_base"], 2 if mode & isa.ADDRESS_BASE_64 else 1)
        if mode & isa.ADDRESS_HAS_UNIFORM:
            uniform = _rows(record["address_uniform"], 2 if mode & isa.ADDRESS_UNIFORM_64 else 1)
        return base, uniform

    def _writes(self, record: dict[str, int]) -> int:
        writes = self._predicate(record["predicate_out_0"]) | self._predicate(record["predicate_out_1"])
        if record["operation"] == isa.R2P:
            writes |= self._numbered_predicates()
        elif record["destination"] < self.trash and record["operation"] not in _WITHOUT_DESTINATION:
            writes |= _rows(record["destination"], max(record["destination_words"], 1))
        return writes

    def _predicate(self, index: int) -> int:
        return 0 if index in _CONSTANT_PREDICATES else 1 << self.own + index

    def _numbered_predicates(self) -> int:
        """P0 to P6, as one word of a register holds them."""
        return _rows(self.own, isa.PREDICATE_TRUE)


def _rows(first: int, words: int) -> int:
    """The bits of consecutive rows of the warp; shared rows (below 0) are constant."""
    return ((1 << words) - 1) << first if first >= 0 else 0


def _source_words(record: dict[str, int]) -> tuple[int, int, int]:
    """How many consecutive registers each source names."""
    operation = record["operation"]
    if operation == isa.STORE:
        return max(record["width"] // 4, 1), 0, 0
    if operation == isa.ATOMIC:
        words = record["width"] // 4
        return words, words, 0
    if operation == isa.HMMA:
        return _matrix_words(record["mode"], record["value"])
    if operation == isa.DMMA:
        return 2, 2, 4
    pairs = record["pairs"]
    a, b, c = (1 + (pairs >> slot & 1) if slot < record["sources"] else 0 for slot in range(3))
    return a, b, c


def _matrix_words(mode: int, depth: int) -> tuple[int, int, int]:
    """Registers that a lane gives to HMMA's A, B and C."""
    kind = mode & 15
    per_word = 1 if kind == isa.MATRIX_TF32 else 4 if kind >= isa.MATRIX_S8 else 2
    words = depth // (4 * per_word)
    return 2 * words, words, 2 if mode & isa.MATRIX_SUM_F16 else 4
