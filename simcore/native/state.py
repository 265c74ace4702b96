"""What the emitted code knows of the machine: registers, predicates and context, loaded once in a basic block."""

from dataclasses import dataclass, field
from functools import lru_cache

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution import native
from simcore.lowering.program import Program
from simcore.native.halves import as_move
from simcore.native.vectors import LONG, WORD, WORDS, expand, splat, words

ROW_ALIGNMENT = 64
"""Bytes: a cache line of this processor. Rows of registers begin at multiples of it."""
SPARE_ROWS = 4
"""As many as an access moves at most."""


@dataclass(frozen=True)
class Instruction:
    """A record of `layout.INSTRUCTION` as plain integers, by name."""

    index: int
    fields: dict[str, int]

    @property
    def is_unguarded(self) -> bool:
        """Whether it takes effect in all active lanes."""
        return (self.guard, self.guard_flip) == (isa.PREDICATE_TRUE, 0)

    def __getattr__(self, name: str) -> int:
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(name) from None


@dataclass
class Context:
    """The context (see `core.execution.native`), of which a number is loaded once.

    Attributes:
        builder: where the code goes.
        context: its address.
    """

    builder: ir.IRBuilder
    context: ir.Value
    _known: dict[int, ir.Value] = field(default_factory=dict, kw_only=True)
    _arrays: dict[tuple[int, ir.Type], ir.Value] = field(default_factory=dict, kw_only=True)

    def known(self, place: int) -> ir.Value:
        """A number of the context that does not change while the stretch runs."""
        if place not in self._known:
            at = self.builder.gep(self.context, [LONG(place)])
            self._known[place] = self.builder.load(at, typ=LONG)
        return self._known[place]

    def array(self, place: int, element: ir.Type = WORD) -> ir.Value:
        """The array at an address in the context."""
        if (place, element) not in self._arrays:
            address = self.known(place)
            self._arrays[place, element] = self.builder.inttoptr(address, element.as_pointer())
        return self._arrays[place, element]

    def element(self, place: int, index: ir.Value, element: ir.Type = WORD) -> ir.Value:
        """The address of an element of such an array."""
        return self.builder.gep(self.array(place, element), [index])


@dataclass
class State(Context):
    """The state of a warp while a basic block is emitted.

    Attributes:
        active: the lanes that are active, a mask.
        trash: the first row for results that nobody reads.
        spare: room for `SPARE_ROWS` rows.
        logged: where the numbers of logged accesses stand: up to now, and up to the last commit; None if nothing is.
    """

    active: ir.Value
    trash: int
    spare: ir.Value
    logged: tuple[ir.Value, ir.Value] | None
    _rows: dict[int, ir.Value] = field(default_factory=dict)
    _predicates: dict[int, ir.Value] = field(default_factory=dict)
    _expanded: dict[ir.Value, ir.Value] = field(default_factory=dict)
    _unsaved_rows: dict[int, ir.Value] = field(default_factory=dict)
    _unsaved_predicates: dict[int, ir.Value] = field(default_factory=dict)

    # --- Lanes --------------------------------------------------------------------------------------------

    def guarded(self, ins: Instruction) -> ir.Value:
        """The lanes in which an instruction takes effect, a mask."""
        if ins.is_unguarded:
            return self.active
        return self.builder.and_(self.flipped(ins.guard, ins.guard_flip), self.active)

    def truths(self, lanes: ir.Value) -> ir.Value:
        """A mask as a truth value for each lane."""
        if lanes not in self._expanded:
            self._expanded[lanes] = expand(self.builder, lanes)
        return self._expanded[lanes]

    # --- Predicates ---------------------------------------------------------------------------------------

    def predicate(self, number: int) -> ir.Value:
        """A predicate, a bit a lane."""
        if number not in self._predicates:
            at = self.element(native.PREDICATES, LONG(number))
            self._predicates[number] = self.builder.load(at, typ=WORD)
        return self._predicates[number]

    def flipped(self, number: int, flip: int) -> ir.Value:
        """A predicate or its negation."""
        value = self.predicate(number)
        return self.builder.not_(value) if flip else value

    def predicate_in(self, ins: Instruction, which: int) -> ir.Value:
        """A predicate that an instruction reads besides its guard."""
        if which == 0:
            return self.flipped(ins.predicate_in_0, ins.predicate_in_0_flip)
        return self.flipped(ins.predicate_in_1, ins.predicate_in_1_flip)

    def set_predicate(self, number: int, bits: ir.Value, lanes: ir.Value | None) -> None:
        """Store a predicate in the lanes given, or in all."""
        if number == isa.PREDICATE_TRASH:
            return
        builder = self.builder
        if lanes is not None:
            kept = builder.and_(self.predicate(number), builder.not_(lanes))
            bits = builder.or_(kept, builder.and_(bits, lanes))
        self._predicates[number] = self._unsaved_predicates[number] = bits

    # --- Registers ----------------------------------------------------------------------------------------

    def row(self, source: int) -> ir.Value:
        """A row by its source code: one of the warp's own, or one that all warps share."""
        if source not in self._rows:
            self._rows[source] = self._own(source) if source >= 0 else self._shared(~source)
        return self._rows[source]

    def row_after(self, source: int, words_further: int) -> ir.Value:
        """A row of a wide operand."""
        return self.row(source + words_further if source >= 0 else ~(~source + words_further))

    def word(self, source: int, lane: ir.Value) -> ir.Value:
        """A lane's word of a row."""
        if source < 0:
            return self._shared_word(~source)
        return self.builder.extract_element(self.row(source), lane)

    def _own(self, row: int) -> ir.Value:
        at = self.element(native.REGISTERS, LONG(row * isa.LANES))
        return self.builder.load(self.builder.bitcast(at, WORDS.as_pointer()), typ=WORDS, align=ROW_ALIGNMENT)

    def _shared(self, row: int) -> ir.Value:
        return splat(self.builder, self._shared_word(row))

    def _shared_word(self, row: int) -> ir.Value:
        return self.builder.load(self.element(native.SHARED_ROWS, LONG(row * isa.LANES)), typ=WORD)

    def set_row(self, row: int, value: ir.Value, lanes: ir.Value) -> None:
        """Store a row in the lanes given."""
        if row < self.trash:
            value = self.builder.select(self.truths(lanes), value, self.row(row))
            self._rows[row] = self._unsaved_rows[row] = value

    def store(self, ins: Instruction, lanes: ir.Value, low: ir.Value, high: ir.Value | None = None) -> None:
        """Store an instruction's result; its lanes are worked out before it changes a predicate."""
        if ins.destination_words:
            self.set_row(ins.destination, low, lanes)
        if ins.destination_words == 2 and high is not None:
            self.set_row(ins.destination + 1, high, lanes)

    # --- Operands -----------------------------------------------------------------------------------------

    def source(self, ins: Instruction, name: str) -> ir.Value:
        """A lane-by-lane source with its sign or complement; of a pair the lower word."""
        value = self.row(ins.fields[name])
        keep, flip, add = (ins.fields[f"{name}_{part}"] for part in ("keep", "flip", "add"))
        if self.is_pair(ins, name):
            return self.builder.xor(value, words(flip)) if flip == isa.FULL_MASK else value
        value = self._kept_and_flipped(value, keep, flip)
        return self.builder.add(value, words(add)) if add else value

    def high(self, ins: Instruction, name: str) -> ir.Value:
        """The upper word of a pair, with its sign or complement."""
        value = self.row_after(ins.fields[name], 1)
        return self._kept_and_flipped(value, ins.fields[f"{name}_keep"], ins.fields[f"{name}_flip"])

    def _kept_and_flipped(self, value: ir.Value, keep: int, flip: int) -> ir.Value:
        if keep != isa.FULL_MASK:
            value = self.builder.and_(value, words(keep))
        return self.builder.xor(value, words(flip)) if flip else value

    @staticmethod
    def is_pair(ins: Instruction, name: str) -> bool:
        """Whether a source is a register pair."""
        position = "abc".index(name)
        return bool(ins.pairs >> position & 1) and ins.sources > position

    # --- The end of a transaction -------------------------------------------------------------------------

    def commit(self) -> None:
        """Store what was changed."""
        for number, bits in self._unsaved_predicates.items():
            self.builder.store(bits, self.element(native.PREDICATES, LONG(number)))
        for row, value in self._unsaved_rows.items():
            at = self.element(native.REGISTERS, LONG(row * isa.LANES))
            self.builder.store(value, self.builder.bitcast(at, WORDS.as_pointer()), align=ROW_ALIGNMENT)
        if self.logged:
            now, committed = self.logged
            self.builder.store(self.builder.load(now, typ=LONG), committed)
        self._unsaved_predicates.clear()
        self._unsaved_rows.clear()


@lru_cache(maxsize=8)
def instructions_of(program: Program) -> list[Instruction]:
    """The program's records."""
    names = program.code.dtype.names or ()
    columns = [program.code[name].tolist() for name in names]
    return [
        Instruction(i, as_move(dict(zip(names, row, strict=True)), program.rows.shared))
        for i, row in enumerate(zip(*columns, strict=True))
    ]
