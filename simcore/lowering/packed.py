"""One instruction while its opcode table entry fills in the record and declares what it reads and writes."""

from collections.abc import Mapping
from typing import TypeVar

from simcore.core import isa
from simcore.core.geometry import CONSTANT_LINE_BYTES, CONSTANT_LINES_PER_BANK
from simcore.core.layout import INSTRUCTION
from simcore.lowering.effects import SAME_IN_ALL_BLOCKS, Effects, Spaces
from simcore.lowering.program import Record, Rows
from simcore.machine_code.operands import Operand
from simcore.machine_code.sass import Instruction

NO_PREDICATE = 7
NO_REGISTER = 255
RECORDED_PREDICATES = 2
"""Predicates, besides the guard, that a record has room for: results, and sources."""
SIGN = 0x8000_0000

_NEUTRAL: Record = {
    **dict.fromkeys(INSTRUCTION.names or (), 0),
    **dict.fromkeys(("predicate_out_0", "predicate_out_1"), isa.PREDICATE_TRASH),
    **dict.fromkeys(("guard", "predicate_in_0", "predicate_in_1"), isa.PREDICATE_TRUE),
    **dict.fromkeys(("a", "b", "c"), ~0),
    **dict.fromkeys(("a_keep", "b_keep", "c_keep"), isa.FULL_MASK),
    "target": -1,
    "constant": -1,
}
REUSE = frozenset({"reuse"})
"""The suffix of an operand that changes no result."""
_CONSTANT_PREDICATES = (isa.PREDICATE_TRUE, isa.UNIFORM_PREDICATE_TRUE, isa.PREDICATE_TRASH)
_SCALES = {"X4": 2, "X8": 3, "X16": 4}  # log2 of a base's factor
_BASE_SUFFIXES = frozenset({"64", "U32", *_SCALES})
_GENERIC: Spaces = frozenset({isa.SPACE_GLOBAL, isa.SPACE_SHARED, isa.SPACE_LOCAL})

T = TypeVar("T")


class UnpackableError(Exception):
    """The table has no rule for this form of an instruction."""


class Packed:
    """One instruction's record and effects while they are being filled in.

    Modifiers are read with `has`, `choice` and `choices`; `unread_modifiers` are the others. Operands are read when
    they are named; `unread_operands` are the others.

    Attributes:
        instruction: as decoded.
        rows: the register rows of the kernel.
        record: the fields of `layout.INSTRUCTION`.
    """

    def __init__(self, instruction: Instruction, rows: Rows) -> None:
        self.instruction = instruction
        self.rows = rows
        self.record = _NEUTRAL | {"destination": rows.trash}
        self.unread_modifiers = list(instruction.modifiers)
        self.unread_operands = list(instruction.operands)
        self._sources = self._sources_everywhere = 0
        self._address = self._address_everywhere = 0
        self._writes = 0
        self._overwrites = True
        self._is_addressed = False
        self._is_timed_by_result = False
        self._memory_reads: Spaces = frozenset()
        self._memory_writes: Spaces = frozenset()
        self._block = SAME_IN_ALL_BLOCKS
        self._guard(instruction.guard)

    # --- Modifiers ----------------------------------------------------------------------------------------

    def has(self, modifier: str) -> bool:
        """Whether the instruction has a modifier."""
        found = modifier in self.unread_modifiers
        if found:
            self.unread_modifiers.remove(modifier)
        return found

    def choice(self, meanings: Mapping[str, T], default: T | None = None) -> T:
        """The meaning of the first modifier that has one, or the default.

        Raises:
            UnpackableError: there is none, and no default.
        """
        for modifier in self.unread_modifiers:
            if modifier in meanings:
                self.unread_modifiers.remove(modifier)
                return meanings[modifier]
        if default is None:
            raise UnpackableError(self.instruction.name)
        return default

    def choices(self, meanings: Mapping[str, T]) -> list[T]:
        """The meanings of all modifiers that have one, in their order."""
        found = [m for m in self.unread_modifiers if m in meanings]
        self.unread_modifiers = [m for m in self.unread_modifiers if m not in meanings]
        return [meanings[m] for m in found]

    # --- Operands -----------------------------------------------------------------------------------------

    def reads(self, *operands: Operand) -> None:
        """Take note that operands are read; those of the entry's own are not the instruction's."""
        for operand in operands:
            if operand in self.unread_operands:
                self.unread_operands.remove(operand)

    def number(self, operand: Operand) -> int:
        """The value of an operand that must be an integer."""
        if operand.kind != "integer":
            raise self.refuse()
        self.reads(operand)
        return operand.value

    def nothing(self, operands: list[Operand]) -> None:
        """Read operands that must be PT, UPT, RZ or URZ: results that are discarded, sources that change nothing."""
        if any(o.text not in ("PT", "UPT", "RZ", "URZ") for o in operands):
            raise self.refuse()
        self.reads(*operands)

    def never(self, operand: Operand) -> None:
        """Read an operand that must be !PT or !UPT."""
        if operand.text not in ("!PT", "!UPT"):
            raise self.refuse()
        self.reads(operand)

    def set(self, **fields: int) -> None:
        """Set fields of the record."""
        self.record.update(fields)

    def refuse(self) -> UnpackableError:
        """The error for a form that is not modelled."""
        return UnpackableError(str(self.instruction))

    def destination(self, operand: Operand, words: int = 1) -> None:
        """Name the row, or the first of several, that receives the result."""
        self.reads(operand)
        row = self._own_row(operand, self.rows.trash)
        self.set(destination=row, destination_words=words)
        if row < self.rows.trash:
            self._writes |= _rows(row, words)

    def second_destination(self, operand: Operand, words: int) -> None:
        """Name the first of the rows that receive the rest of a result, in the place of source c."""
        self.reads(operand)
        row = self._own_row(operand, self.rows.trash)
        self.set(c=row)
        if row < self.rows.trash:
            self._writes |= _rows(row, words)

    def destination_row(self, operand: Operand, row: int) -> None:
        """Name a row as the one that receives the result."""
        self.reads(operand)
        self.set(destination=row, destination_words=1)
        self._writes |= _rows(row, 1)

    def source_row(self, operand: Operand, row: int) -> None:
        """Name a row as the one source."""
        self.reads(operand)
        self.set(a=row, sources=1)
        self._sources |= _rows(row, 1)

    def predicates_out(self, operands: list[Operand]) -> None:
        """Name the predicates that receive results; PT discards them."""
        self._reads_predicates(operands)
        for slot, operand in enumerate(operands):
            index = predicate_index(operand, isa.PREDICATE_TRASH)
            self.record[f"predicate_out_{slot}"] = index
            self._writes |= self._predicate(index)

    def predicates_in(self, operands: list[Operand]) -> None:
        """Name the predicates that are read in addition to the guard."""
        self._reads_predicates(operands)
        for slot, operand in enumerate(operands):
            index = predicate_index(operand, isa.PREDICATE_TRUE)
            self.record[f"predicate_in_{slot}"] = index
            self.record[f"predicate_in_{slot}_flip"] = isa.FULL_MASK if operand.negate else 0
            self._sources_everywhere |= self._predicate(index)

    def predicate_sources(self, *operands: Operand) -> None:
        """Name predicates as sources."""
        self.reads(*operands)
        for slot, operand in zip("abc", operands, strict=True):
            index = predicate_index(operand, isa.PREDICATE_TRUE)
            self.record[slot] = index
            self.record[f"{slot}_flip"] = isa.FULL_MASK if operand.negate else 0
            self._sources_everywhere |= self._predicate(index)

    def reads_numbered_predicates(self, first: int = 0) -> None:
        """Declare that P0 to P6, or as many from another one, are read."""
        self._sources_everywhere |= self._numbered_predicates(first)

    def may_write_numbered_predicates(self, first: int = 0) -> None:
        """Declare that some of P0 to P6, or of as many from another one, are written."""
        self._writes |= self._numbered_predicates(first)
        self._overwrites = False

    def integers(
        self, *operands: Operand, pairs: int = 0, words: tuple[int, ...] = (), complement: bool = False
    ) -> None:
        """Name integer sources; a minus is two's complement, or a plain complement where the carry does the rest.

        Args:
            pairs: bit i says that source i is a register pair.
            words: how many consecutive registers each source has, if it is neither one nor a pair.
        """
        for slot, (name, operand) in enumerate(zip("abc", operands, strict=False)):
            is_pair = bool(pairs >> slot & 1)
            if operand.absolute or (is_pair and operand.negate and not complement):
                raise self.refuse()
            self._source(name, operand, is_pair, words[slot] if words else 1 + is_pair)
            if operand.invert or operand.negate:
                self.record[f"{name}_flip"] = isa.FULL_MASK
            if operand.negate and not complement:
                self.record[f"{name}_add"] = 1
        self.set(sources=len(operands), pairs=pairs)

    def floats(self, *operands: Operand, sign: int = SIGN, pairs: int = 0) -> None:
        """Name floating-point sources; negation and absolute value act on the sign bits."""
        for slot, (name, operand) in enumerate(zip("abc", operands, strict=False)):
            if operand.invert:
                raise self.refuse()
            self._source(name, operand, bool(pairs), 1 + (pairs >> slot & 1))
            if operand.absolute:
                self.record[f"{name}_keep"] = isa.FULL_MASK ^ sign
            if operand.negate:
                self.record[f"{name}_flip"] = sign
        self.set(sources=len(operands), pairs=pairs)

    def constant(self, operand: Operand) -> None:
        """Name the line of a constant at a fixed address."""
        line = operand.index * CONSTANT_LINES_PER_BANK + operand.value // CONSTANT_LINE_BYTES
        self.record["constant"] = line

    # --- Memory -------------------------------------------------------------------------------------------

    def address(self, operand: Operand, space: int) -> None:
        """Name the parts of a memory address.

        Raises:
            UnpackableError: the operand is not an address.
        """
        if operand.kind != "address":
            raise self.refuse()
        self.reads(operand)
        wide = space in (isa.SPACE_GLOBAL, isa.SPACE_GENERIC)
        mode = 0
        base, uniform = operand.base, operand.uniform
        if operand.suffixes or (uniform and uniform.suffixes) or (base and not _is_plain_base(base)):
            raise self.refuse()
        if base is not None:
            mode |= isa.ADDRESS_HAS_BASE
            self.record["address_base"] = row = self._own_row(base, ~0)
            if "64" in base.suffixes or (wide and uniform is None):
                mode |= isa.ADDRESS_BASE_64
            scales = [_SCALES[s] for s in base.suffixes if s in _SCALES]
            mode |= sum(scales) << isa.ADDRESS_SCALE_SHIFT
            self._address |= _rows(row, 2 if mode & isa.ADDRESS_BASE_64 else 1)
        if uniform is not None:
            mode |= isa.ADDRESS_HAS_UNIFORM | (isa.ADDRESS_UNIFORM_64 if wide else 0)
            self.record["address_uniform"] = row = self._own_row(uniform, ~0)
            self._address_everywhere |= _rows(row, 2 if wide else 1)
        self.set(space=space, address_mode=mode, value=operand.value)
        self._is_addressed = True

    def sources_are_addresses(self) -> None:
        """Declare that the sources named so far are parts of an address."""
        self._address |= self._sources

    def addresses_under_predicates(self) -> None:
        """Declare that the predicates read besides the guard decide which lanes access memory."""
        for slot in range(RECORDED_PREDICATES):
            self._address_everywhere |= self._predicate(self.record[f"predicate_in_{slot}"])

    def reads_memory(self, space: int) -> None:
        """Declare that a memory space is read."""
        self._memory_reads = _spaces(space)

    def writes_memory(self, space: int) -> None:
        """Declare that a memory space is written."""
        self._memory_writes = _spaces(space)

    def timed_by_result(self) -> None:
        """Declare that the latency depends on the result, though not that of all instructions of the opcode."""
        self._is_timed_by_result = True

    def differs_between_blocks(self, how: int) -> None:
        """Declare that results differ between blocks, apart from what the instruction reads."""
        self._block = how

    def effects(self, across_lanes: bool, is_timed_by_result: bool) -> Effects:
        """What the instruction reads and writes, as filled in so far.

        Args:
            across_lanes: whether lanes read each other's sources, so that all lanes are read.
            is_timed_by_result: whether its latency depends on its result.
        """
        record = self.record
        is_control = record["operation"] >> isa.FAMILY_BITS == isa.CONTROL
        if across_lanes or is_control:
            self._sources_everywhere |= self._sources
            self._address_everywhere |= self._address
            self._sources = self._address = 0
        return Effects(
            guard=(record["guard"], bool(record["guard_flip"])),
            guard_bits=self._predicate(record["guard"]),
            sources=self._sources,
            sources_everywhere=self._sources_everywhere,
            address=self._address,
            address_everywhere=self._address_everywhere,
            writes=self._writes,
            overwrites=self._overwrites,
            is_control=is_control,
            is_addressed=self._is_addressed,
            is_timed_by_result=is_timed_by_result or self._is_timed_by_result,
            memory_reads=self._memory_reads,
            memory_writes=self._memory_writes,
            block=self._block,
        )

    # --- Rows and predicates ------------------------------------------------------------------------------

    def _guard(self, operand: Operand | None) -> None:
        if operand:
            self.record["guard"] = predicate_index(operand, isa.PREDICATE_TRUE)
            self.record["guard_flip"] = isa.FULL_MASK if operand.negate else 0

    def _reads_predicates(self, operands: list[Operand]) -> None:
        if len(operands) > RECORDED_PREDICATES:
            raise self.refuse()
        self.reads(*operands)

    def _source(self, name: str, operand: Operand, pair: bool, words: int) -> None:
        self.reads(operand)
        self.record[name] = row = self._row(operand, pair)
        if row >= self.rows.registers:
            self._sources_everywhere |= _rows(row, words)
        else:
            self._sources |= _rows(row, words)

    def _row(self, operand: Operand, pair: bool) -> int:
        """The source code of an operand: a row of the warp, or a shared one."""
        words = 2 if pair else 1
        if operand.kind in ("register", "uniform_register"):
            return self._own_row(operand, ~0)
        if operand.kind == "constant" and operand.base is None and operand.uniform is None:
            self.constant(operand)
            return self.rows.of_shared(
                *(("constant", operand.index, operand.value + 4 * word) for word in range(words))
            )
        if operand.kind == "integer":
            value = operand.value & 0xFFFF_FFFF_FFFF_FFFF
            return self.rows.of_shared(
                *(("value", value >> 32 * word & isa.FULL_MASK, 0) for word in range(words))
            )
        if operand.kind == "float":
            # The word's immediate field contains the bits; of a double, the upper half.
            upper = ("value", self.instruction.immediate, 0)
            return self.rows.of_shared(("value", 0, 0), upper) if pair else self.rows.of_shared(upper)
        raise self.refuse()

    def _own_row(self, operand: Operand, zero: int) -> int:
        if operand.index == NO_REGISTER:
            return zero
        return operand.index + (self.rows.registers if operand.kind == "uniform_register" else 0)

    def _predicate(self, index: int) -> int:
        """The bit of a predicate; constant predicates have none."""
        return 0 if index in _CONSTANT_PREDICATES else 1 << self.rows.own + index

    def _numbered_predicates(self, first: int) -> int:
        """The bits of P0 to P6, or of as many from another one."""
        return _rows(self.rows.own + first, isa.PREDICATE_TRUE)


def predicate_index(operand: Operand, true: int) -> int:
    """The index of a predicate in the warp; `true` is that of PT and UPT."""
    if operand.index == NO_PREDICATE:
        return true
    uniform = operand.kind == "uniform_predicate"
    return operand.index + (isa.UNIFORM_PREDICATES if uniform else 0)


def _is_plain_base(base: Operand) -> bool:
    """Whether a register in an address has no sign, and no suffix but those that `Packed.address` reads."""
    return not (base.negate or base.invert or set(base.suffixes) - _BASE_SUFFIXES - REUSE)


def _rows(first: int, words: int) -> int:
    """The bits of consecutive rows of the warp; shared rows (below 0) are constant."""
    return ((1 << words) - 1) << first if first >= 0 else 0


def _spaces(space: int) -> Spaces:
    """The memory spaces that an access may touch."""
    return _GENERIC if space == isa.SPACE_GENERIC else frozenset({space})
