"""Which instructions must be executed for the requested result: a backward slice over the machine code.

To predict time, only instructions that can affect a branch, a guard, an address or a barrier need values; the rest (in
a floating-point kernel nearly all) is timed without being executed. The cycles are the same either way.

The slice follows registers and predicates along control flow, and tracks the lanes in which each value is needed: all,
or those where some guard is true. A write under a guard therefore ends the need for the register's previous value if
the reader has the same guard. Spilled registers are followed alike (`stack_slots`); else each memory space is one
variable. Few kernels read what they have stored to global memory, though, so a slice may compute nothing but the
addresses of these stores; a run in which one of them meets contents that matter ends there (`isa.NEEDS_STORES`), and
begins again with a slice that executes them (`Session.run`).
"""

from collections.abc import Callable, Iterable
from enum import Flag, auto
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simcore.analysis.calls import Subroutine, subroutines
from simcore.analysis.control_flow import Block, blocks_of
from simcore.analysis.stack_slots import Followed, with_slots, without_slots
from simcore.core import isa
from simcore.lowering.effects import ALL_LANES, Effects, Guard
from simcore.lowering.program import Program

Actions = NDArray[np.uint8]
"""`isa.EXECUTE`, `isa.ADDRESS_ONLY` or `isa.SKIP` for each instruction."""

Slice = Callable[[Program, bool], Actions]
"""What to do with a program's instructions, and whether its loads may read what it stored to global memory."""

_GLOBAL = frozenset((isa.SPACE_GLOBAL,))
_DATA = frozenset((isa.SPACE_GLOBAL, isa.SPACE_GENERIC))


class _Demands(Flag):
    """What needs values in any case."""

    CONTROL = auto()
    ADDRESSES = auto()
    GLOBAL_ADDRESSES = auto()  # of what may be global memory
    STORES = auto()  # addresses of stores to global memory

    def include(self, effect: Effects) -> bool:
        """Whether an instruction's address is among them."""
        if not effect.is_addressed or self.ADDRESSES in self:
            return effect.is_addressed
        if self.GLOBAL_ADDRESSES in self and isa.SPACE_GLOBAL in effect.memory_reads | effect.memory_writes:
            return True
        return self.STORES in self and effect.memory_writes == _GLOBAL


def everything(program: Program, stores_matter: bool = True) -> Actions:
    """Execute all instructions, for exact results."""
    return np.full(len(program.code), isa.EXECUTE, np.uint8)


@lru_cache(maxsize=64)
def for_timing(program: Program, stores_matter: bool = True) -> Actions:
    """Execute what affects control flow or addresses; only compute the addresses of other memory accesses."""
    return _actions(program, _Demands.CONTROL | _Demands.ADDRESSES, stores_matter)


@lru_cache(maxsize=64)
def for_tracing(program: Program, stores_matter: bool = True) -> Actions:
    """Execute what affects control flow or addresses in global memory, and compute these, to know what is touched."""
    return _actions(program, _Demands.CONTROL | _Demands.GLOBAL_ADDRESSES, stores_matter)


@lru_cache(maxsize=64)
def for_counting(program: Program, stores_matter: bool = True) -> Actions:
    """Execute only what affects control flow, to count instructions."""
    return _actions(program, _Demands.CONTROL, stores_matter)


@lru_cache(maxsize=64)
def follows_data(program: Program) -> bool:
    """Whether an address depends on what is loaded from global memory, other than by the control flow, and other than
    through memory of another kind."""
    needed = _liveness(program, without_slots(program), _Demands.ADDRESSES).solve()
    return any(not program.effects[i].memory_reads.isdisjoint(_DATA) for i in needed)


def _actions(program: Program, demands: _Demands, stores_matter: bool) -> Actions:
    effects = _followed(program).effects
    needed = _needed(program, demands, stores_matter)
    if not stores_matter and any(isa.SPACE_GLOBAL in effects[i].memory_reads for i in needed):
        needed = _needed(program, demands | _Demands.STORES, stores_matter)
        if any(isa.SPACE_GLOBAL in effects[i].memory_writes for i in needed):
            # Blocks wait for each other, or count themselves.
            return _actions(program, demands, stores_matter=True)
        demands |= _Demands.STORES
    action = np.full(len(effects), isa.SKIP, np.uint8)
    action[[i for i, e in enumerate(effects) if demands.include(e)]] = isa.ADDRESS_ONLY
    action[needed] = isa.EXECUTE
    action[[i for i, e in enumerate(effects) if e.is_control]] = isa.EXECUTE
    return action


def _needed(program: Program, demands: _Demands, stores_matter: bool) -> list[int]:
    """The instructions whose results are needed; if a load is, so are all stores to its memory space.

    Where those to global memory do not matter, that holds for the others.
    """
    followed = _followed(program)
    effects = followed.effects
    liveness = _liveness(program, followed, demands)
    if _Demands.ADDRESSES in demands:
        liveness.require(i for i, e in enumerate(effects) if e.is_timed_by_result)
    without_effect = frozenset() if stores_matter else _GLOBAL
    relevant: set[int] = set()
    while True:
        needed = liveness.solve()
        read = {space for i in needed for space in effects[i].memory_reads} - relevant
        if not read:
            return sorted(needed)
        relevant |= read
        liveness.require(
            i
            for i, e in enumerate(effects)
            if not e.memory_writes.isdisjoint(read) and e.memory_writes != without_effect
        )


def _liveness(program: Program, followed: Followed, demands: _Demands) -> "_Liveness":
    """The liveness of what these need."""
    fields, steps = _steps(followed)
    demanded = [fields.demanded(effect, demands) for effect in followed.effects]
    written = [fields.everywhere(effect.writes) for effect in followed.effects]
    return _Liveness(steps, demanded, _blocks(program), written)


_blocks = lru_cache(maxsize=8)(blocks_of)


@lru_cache(maxsize=8)
def _followed(program: Program) -> Followed:
    return with_slots(program, _blocks(program))


@lru_cache(maxsize=8)
def _steps(followed: Followed) -> "tuple[_Fields, list[_Step]]":
    fields = _Fields(followed)
    return fields, [fields.step(effect) for effect in followed.effects]


class _Step(NamedTuple):
    """How one instruction changes the needs, going backwards. All are sets of needs; see `_Fields`.

    Attributes:
        hits: needs that the instruction's results satisfy.
        redefined: the fields of guards that it redefines: their bits, and how far to shift them.
        ended: needs that end here.
        narrowed: needs in all lanes that remain only where the guard is false, and how far to shift them.
        sources: what it needs if it is needed itself.
    """

    hits: int
    redefined: tuple[tuple[int, int], ...]
    ended: int
    narrowed: int
    narrowed_shift: int
    sources: int


class _Fields:
    """Sets of needs as integers; each need is a value in certain lanes.

    The integer has a field of `width` bits for all lanes, and one for each guard and its negation.
    Bit v of a field is set if value v is needed in the lanes where the guard is true.
    """

    def __init__(self, followed: Followed) -> None:
        width = followed.width
        predicates = sorted({effect.guard[0] for effect in followed.effects} - {isa.PREDICATE_TRUE})
        named = [ALL_LANES, *((predicate, flip) for predicate in predicates for flip in (False, True))]
        self._shift = {guard: width * place for place, guard in enumerate(named)}
        self._every = sum(1 << shift for shift in self._shift.values())
        self._predicates = predicates
        self._width = width
        self._first_predicate = followed.first_predicate

    def everywhere(self, values: int) -> int:
        """Needs of some values in any lanes."""
        return values * self._every

    def step(self, effect: Effects) -> _Step:
        """What one instruction does to needs."""
        guard = self._guard(effect)
        shift = self._shift[guard]
        writes = effect.writes
        ended = narrowed = narrowed_shift = 0
        hits = self.everywhere(writes)
        if guard != ALL_LANES:
            opposite = self._shift[guard[0], not guard[1]]
            hits &= ~(writes << opposite)
            if effect.overwrites:
                ended, narrowed, narrowed_shift = writes | writes << shift, writes, opposite
        elif effect.overwrites and effect.guard == ALL_LANES:
            ended = hits
        return _Step(hits, self._redefined(writes), ended, narrowed, narrowed_shift, self._sources(effect))

    def demanded(self, effect: Effects, demands: _Demands) -> int:
        """What one instruction needs in any case."""
        if effect.is_control and _Demands.CONTROL in demands:
            return self._sources(effect)
        if demands.include(effect):
            shift = self._shift[self._guard(effect)]
            return effect.address << shift | effect.address_everywhere | effect.guard_bits
        return 0

    def _guard(self, effect: Effects) -> Guard:
        """One that is always false (@!PT) is treated as one that may be true in all lanes."""
        return effect.guard if effect.guard in self._shift else ALL_LANES

    def _sources(self, effect: Effects) -> int:
        """What an instruction needs if it is needed itself."""
        sources = (effect.sources | effect.address) << self._shift[self._guard(effect)]
        return sources | effect.sources_everywhere | effect.address_everywhere | effect.guard_bits

    def _redefined(self, writes: int) -> tuple[tuple[int, int], ...]:
        written = writes >> self._first_predicate
        if not written:
            return ()
        field = (1 << self._width) - 1
        shifts = (
            self._shift[p, flip] for p in self._predicates if written >> p & 1 for flip in (False, True)
        )
        return tuple((field << shift, shift) for shift in shifts)


class _Past(NamedTuple):
    """What goes past a subroutine.

    Attributes:
        written: needs of what it may write.
        redefined: the fields of guards that it redefines, as in `_Step`.
    """

    written: int
    redefined: tuple[tuple[int, int], ...]

    def of(self, live: int) -> int:
        """Of what is needed behind a call, what is needed before it and not for what is called: in all lanes, if the
        guard that says in which is written there."""
        live &= ~self.written
        for field, shift in self.redefined:
            live = live & ~field | (live & field) >> shift
        return live


class _Liveness:
    """Backward liveness of needs over the basic blocks, to the least fixed point.

    What a subroutine does not write is needed before a call if it is behind that call; the rest goes through it.
    """

    def __init__(
        self, steps: list[_Step], demanded: list[int], blocks: list[Block], written: list[int]
    ) -> None:
        self._steps = steps
        self._demanded = demanded
        self._blocks = blocks
        self._live_in = [0] * len(blocks)
        self._anywhere = 0
        self._table_jumps = [number for number, block in enumerate(blocks) if block.jumps_anywhere]
        self._predecessors: list[list[int]] = [[] for _ in blocks]
        for number, block in enumerate(blocks):
            for successor in block.successors:
                self._predecessors[successor].append(number)
        self._calls: dict[int, _Past] = {}
        self._returns: list[list[tuple[int, int]]] = [[] for _ in blocks]
        for entry, subroutine in subroutines(blocks).items():
            past = self._past(subroutine, written)
            self._calls[entry] = past
            for number in subroutine.ends:
                self._returns[number] += [(behind, past.written) for behind in subroutine.behind]
        for number, block in enumerate(blocks):
            if block.calls in self._calls and block.returns_to is not None:
                self._predecessors[block.returns_to].append(number)
        self._needed: set[int] = set()

    def _past(self, subroutine: Subroutine, written: list[int]) -> "_Past":
        together, redefined = 0, set[tuple[int, int]]()
        for number in subroutine.body:
            for index in range(self._blocks[number].first, self._blocks[number].end):
                together |= written[index]
                redefined.update(self._steps[index].redefined)
        return _Past(together, tuple(redefined))

    def require(self, instructions: Iterable[int]) -> None:
        """Mark instructions as needed, regardless of who reads their results."""
        self._needed.update(instructions)

    def solve(self) -> set[int]:
        """The instructions that are needed."""
        pending = dict.fromkeys(range(len(self._blocks)))
        while pending:
            number, _ = pending.popitem()
            before = self._anywhere
            live = self._through(number)
            if live != self._live_in[number]:
                self._live_in[number] = live
                pending.update(dict.fromkeys(self._predecessors[number]))
            if self._anywhere != before:
                pending.update(dict.fromkeys(self._table_jumps))
        return self._needed

    def _behind(self, number: int) -> int:
        """What is needed after a block."""
        block = self._blocks[number]
        live = self._anywhere if block.jumps_anywhere else 0
        if self._returns[number]:
            for behind, written in self._returns[number]:
                live |= self._live_in[behind] & written
            return live
        for successor in block.successors:
            live |= self._live_in[successor]
        if block.calls in self._calls and block.returns_to is not None:
            live |= self._calls[block.calls].of(self._live_in[block.returns_to])
        return live

    def _through(self, number: int) -> int:
        """What is needed before a block."""
        block, live = self._blocks[number], self._behind(number)
        needed = self._needed
        for index in range(block.end - 1, block.first - 1, -1):
            hits, redefined, ended, narrowed, narrowed_shift, sources = self._steps[index]
            if live & hits or index in needed:
                needed.add(index)
                for field, shift in redefined:
                    live = live & ~field | (live & field) >> shift
                live = live & ~ended | (live & narrowed) << narrowed_shift | sources
            live |= self._demanded[index]
            if self._table_jumps:
                self._anywhere |= live
        return live
