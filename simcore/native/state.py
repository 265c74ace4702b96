"""What the emitted code knows of the machine: registers, predicates and context, loaded once in a basic block."""

from dataclasses import dataclass, field
from functools import lru_cache

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution import native
from simcore.lowering.program import ZERO_ROWS, Program, Rows
from simcore.native.halves import as_move
from simcore.native.vectors import LONG, POINTER, ROW_ALIGNMENT, WORD, WORDS, expand, pack, splat, words

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
    """The context (see `core.execution.native`), of which a number is loaded once, where a function begins.

    Attributes:
        beginning: where that code goes.
        address: of the context.
    """

    beginning: ir.IRBuilder
    address: ir.Value
    _known: dict[int, ir.Value] = field(default_factory=dict)

    def known(self, place: int) -> ir.Value:
        """A number of the context that does not change while the stretch runs."""
        return self._loaded(place, LONG)

    def array(self, place: int) -> ir.Value:
        """The array at an address in the context."""
        return self._loaded(place, POINTER)

    def _loaded(self, place: int, kind: ir.Type) -> ir.Value:
        if place not in self._known:
            at = self.beginning.gep(self.address, [LONG(place)], source_etype=LONG)
            self._known[place] = self.beginning.load(at, typ=kind)
        return self._known[place]


@dataclass
class State:
    """The state of a warp while a basic block is emitted.

    Attributes:
        builder: where its code goes.
        context: that of the function.
        active: the lanes that are active, a mask.
        rows: which the program has.
        spare: room for `SPARE_ROWS` rows.
        logged: where the numbers of logged accesses stand: up to now, and up to the last commit; None if nothing is.
        leave: where to go if an instruction must be the interpreter's, as nothing since the last commit has been done.
    """

    builder: ir.IRBuilder
    context: Context
    active: ir.Value
    rows: Rows
    spare: ir.Value
    logged: tuple[ir.Value, ir.Value] | None
    leave: ir.Block
    _rows: dict[int, ir.Value] = field(default_factory=dict)
    _predicates: dict[int, ir.Value] = field(default_factory=dict)
    _expanded: dict[ir.Value, ir.Value] = field(default_factory=dict)
    _unsaved_rows: dict[int, ir.Value] = field(default_factory=dict)
    _unsaved_predicates: dict[int, tuple[ir.Value, bool]] = field(default_factory=dict)

    def element(self, place: int, index: ir.Value, element: ir.Type = WORD) -> ir.Value:
        """The address of an element of an array in the context."""
        return self.builder.gep(self.context.array(place), [index], source_etype=element)

    def spare_row(self, number: int) -> ir.Value:
        """The address of a spare row."""
        return self.builder.gep(self.spare, [LONG(number * isa.LANES)], source_etype=WORD)

    # --- Lanes --------------------------------------------------------------------------------------------

    def guarded(self, ins: Instruction) -> ir.Value:
        """The lanes in which an instruction takes effect, a mask."""
        if ins.is_unguarded:
            return self.active
        return self.builder.and_(self.flipped(ins.guard, ins.guard_flip), self.active)

    def all_or_none(self, lanes: ir.Value) -> ir.Value:
        """All lanes, or none where some are missing."""
        return self.builder.sext(self.builder.icmp_unsigned("==", lanes, WORD(isa.FULL_MASK)), WORD)

    def truths(self, lanes: ir.Value) -> ir.Value:
        """A mask as a truth value for each lane."""
        if lanes not in self._expanded:
            self._expanded[lanes] = expand(self.builder, lanes)
        return self._expanded[lanes]

    # --- Predicates ---------------------------------------------------------------------------------------

    def predicate(self, number: int) -> ir.Value:
        """A predicate, a bit a lane."""
        if number in (isa.PREDICATE_TRUE, isa.UNIFORM_PREDICATE_TRUE):
            return WORD(isa.FULL_MASK)
        if number not in self._predicates:
            self._predicates[number] = self._own_predicate(number)
        return self._predicates[number]

    def _own_predicate(self, number: int) -> ir.Value:
        return self.builder.load(self.element(native.PREDICATES, LONG(number)), typ=WORD)

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
        """Store a predicate in the lanes given, or in all; inactive ones' is nobody's until the transaction ends."""
        if number == isa.PREDICATE_TRASH:
            return
        if lanes is not None and lanes is not self.active:
            bits = self._merged(bits, lanes, self.predicate(number))
        self._predicates[number] = bits
        self._unsaved_predicates[number] = bits, lanes is not None

    def _merged(self, bits: ir.Value, lanes: ir.Value, others: ir.Value) -> ir.Value:
        """Bits in some lanes, and others elsewhere."""
        changes = self.builder.and_(self.builder.xor(others, bits), lanes)
        return self.builder.xor(others, changes)

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

    def constant(self, source: int) -> int | None:
        """The word of a row that is the same in all launches; None of others."""
        if source >= 0:
            return None
        if ~source < ZERO_ROWS:
            return 0
        kind, word, _ = self.rows.shared[~source - ZERO_ROWS]
        return word if kind == "value" else None

    def _own(self, row: int) -> ir.Value:
        return self.builder.load(self._place(row), typ=WORDS, align=ROW_ALIGNMENT)

    def _place(self, row: int) -> ir.Value:
        """The address of one of the warp's own rows."""
        return self.element(native.REGISTERS, LONG(row * isa.LANES))

    def _shared(self, row: int) -> ir.Value:
        constant = self.constant(~row)
        return splat(self.builder, self._shared_word(row)) if constant is None else words(constant)

    def _shared_word(self, row: int) -> ir.Value:
        constant = self.constant(~row)
        if constant is not None:
            return WORD(constant)
        return self.builder.load(self.element(native.SHARED_ROWS, LONG(row * isa.LANES)), typ=WORD)

    def set_row(self, row: int, value: ir.Value, lanes: ir.Value) -> None:
        """Store a row in the lanes given; what inactive ones have of it until the transaction ends is nobody's."""
        if row < self.rows.trash:
            if lanes is not self.active:
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

    def constant_source(self, ins: Instruction, name: str) -> int | None:
        """A source that is the same word in all launches, without sign or complement; None of others."""
        changes = (ins.fields[f"{name}_{part}"] for part in ("keep", "flip", "add"))
        return self.constant(ins.fields[name]) if tuple(changes) == (isa.FULL_MASK, 0, 0) else None

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

    # --- Transactions -------------------------------------------------------------------------------------

    def go_on_if(self, holds: ir.Value) -> None:
        """Leave to the interpreter what is done here unless something holds."""
        on = self.builder.append_basic_block("possible")
        self.builder.cbranch(holds, on, self.leave)
        self.builder.position_at_end(on)

    def go_on_if_numbers(self, values: ir.Value, lanes: ir.Value) -> None:
        """Leave to the interpreter what is done here where one of some lanes' values is a NaN."""
        is_nan = pack(self.builder, self.builder.fcmp_unordered("uno", values, values))
        self.go_on_if(self.builder.icmp_unsigned("==", self.builder.and_(is_nan, lanes), WORD(0)))

    def commit(self) -> None:
        """Store what was changed."""
        for number, (bits, in_active_lanes) in self._unsaved_predicates.items():
            if in_active_lanes:
                bits = self._merged(bits, self.active, self._own_predicate(number))
            self.builder.store(bits, self.element(native.PREDICATES, LONG(number)))
        if self._unsaved_rows:
            self._store_rows()
        if self.logged:
            now, committed = self.logged
            self.builder.store(self.builder.load(now, typ=LONG), committed)
        self._unsaved_predicates.clear()
        self._unsaved_rows.clear()

    def _store_rows(self) -> None:
        """Store the rows that were changed, whole. Of a selection LLVM makes a masked store, and a load of the same row
        then has to wait for the cache (Zen 5, by `perf`)."""
        active = self.builder.sext(self.truths(self.active), WORDS)
        for row, value in self._unsaved_rows.items():
            saved = self._merged(value, active, self._own(row))
            self.builder.store(saved, self._place(row), align=ROW_ALIGNMENT)


@lru_cache(maxsize=8)
def instructions_of(program: Program) -> list[Instruction]:
    """The program's records."""
    names = program.code.dtype.names or ()
    columns = [program.code[name].tolist() for name in names]
    return [
        Instruction(i, as_move(dict(zip(names, row, strict=True)), program.rows.shared))
        for i, row in enumerate(zip(*columns, strict=True))
    ]
