"""Rules that decide which part of a warp goes on, as far as an H100 showed them.

Where a part stops, the other side of the last branch goes on, then what earlier branches left, the latest first. Where
no branch left anything, lanes are served in turn: those that have yielded, with all that yielded at the same place, and
those at a convergence barrier all of whose other lanes wait or have yielded, with all that wait there. The lanes that
waited at the last turn come first; the turn passes to the lane behind the one that is served.
"""

from collections.abc import Callable
from typing import Any

LANES = 32
READY, YIELDED = -1, -2
"""What lanes that do not run wait for besides barriers: nothing; their turn."""

Paths = list[list[int]]
"""The places that each lane comes to, and a 0."""


def lanes_in(mask: int) -> list[int]:
    """The numbers of the lanes of a mask."""
    return [lane for lane in range(LANES) if mask >> lane & 1]


class Warp:
    """A warp of lanes that each go their known path."""

    def __init__(
        self, steps: dict[int, Any], paths: Paths, places: Callable[[Any, int], frozenset[int]]
    ) -> None:
        self.steps, self.paths, self.places = steps, paths, places
        self.at = [0] * LANES  # along each lane's path
        self.active = self.live = sum(1 << lane for lane in range(LANES) if len(paths[lane]) > 1)
        self.pc = min(at for at, step in steps.items() if step.kind == "NOTE")
        self.stands, self.waits_for = [0] * LANES, [READY] * LANES
        self.barriers: dict[int, int] = {}
        self.left: list[int] = []  # what branches left, the latest last
        self.other_side = self.old = self.passed_by = self.in_part = self.turn = 0
        self.noted: list[tuple[int, int]] = []

    def run(self, most: int = 5000) -> list[tuple[int, int]]:
        """The places noted, and the lanes there, until all lanes have ended, or too many steps."""
        for _ in range(most):
            if not self.active:
                break
            while self.pc not in self.steps:
                self.pc += 1
            step = self.steps[self.pc]
            getattr(self, f"_{step.kind.lower()}")(step)
        return self.noted

    def _note(self, step: Any) -> None:
        self.noted.append((step.value, self.active))
        if any(self.paths[lane][self.at[lane]] != step.value for lane in lanes_in(self.active)):
            self.active = 0  # the rules have led a lane off its path
            return
        for lane in lanes_in(self.active):
            self.at[lane] += 1
        self.pc += 1

    def _bssy(self, step: Any) -> None:
        self.barriers[step.value] = self.barriers.get(step.value, 0) | self.active
        self.pc += 1

    def _bra(self, step: Any) -> None:
        jumping = self._jumping(step)
        staying = self.active & ~jumping
        if not staying:
            self.pc = step.value
        elif not jumping:
            self.pc += 1
        else:
            sides = [(staying, self.pc + 1), (jumping, step.value)]
            if staying.bit_count() > jumping.bit_count():
                sides.reverse()
            self._displace()
            self._park(sides[1][0], sides[1][1], READY)
            self.other_side = sides[1][0]
            self.active, self.pc = sides[0]

    def _jumping(self, step: Any) -> int:
        there = self.places(self.steps, step.value)
        if not step.guarded:
            return self.active
        return sum(1 << lane for lane in lanes_in(self.active) if self.paths[lane][self.at[lane]] in there)

    def _yield(self, step: Any) -> None:
        if self.active == self.live:
            self.pc += 1
        else:
            stopped = self.active
            self._park(stopped, self.pc + 1, YIELDED)
            self.active = 0
            if not self._branch_left(stopped):
                self._serve(stopped, True)

    def _bsync(self, step: Any) -> None:
        barrier, stopped = step.value, self.active
        named = self.barriers.get(barrier, 0) & self.live
        there = self._waiting(barrier) & named
        if not named & ~stopped & ~there or not named & stopped:
            self._start(stopped | (there if named & stopped else 0), self.pc + 1)
            if named & stopped:
                self.barriers[barrier] = 0
                self._forget(there)
            return
        self._park(named & stopped, self.pc, barrier)
        self.active &= ~named
        if self.active:
            self.in_part |= named & stopped
            self.pc += 1
        elif not self._branch_left(stopped) and not self._passes(barrier, stopped):
            self._serve(stopped, False)

    def _exit(self, step: Any) -> None:
        self.live &= ~self.active
        self.active = 0
        if self.live and not self._branch_left(0):
            self._serve(0, False)

    def _park(self, mask: int, pc: int, state: int) -> None:
        for lane in lanes_in(mask):
            self.stands[lane], self.waits_for[lane] = pc, state
        if state == READY:
            self.left.append(mask)

    def _waiting(self, state: int, pc: int | None = None) -> int:
        return sum(
            1 << lane
            for lane in lanes_in(self.live & ~self.active)
            if self.waits_for[lane] == state and pc in (None, self.stands[lane])
        )

    def _blocked(self) -> int:
        return sum(1 << lane for lane in lanes_in(self.live & ~self.active) if self.waits_for[lane] >= 0)

    def _start(self, mask: int, pc: int) -> None:
        self.active, self.pc = mask, pc
        self.other_side &= ~mask
        self.passed_by &= ~mask
        self.in_part &= ~mask

    def _branch_left(self, stopped: int) -> bool:
        """What a branch left goes on, if there is such."""
        ready = self._waiting(READY)
        if not ready:
            return False
        self.left = [mask for mask in self.left if mask & ready]
        if self.other_side & ready:
            chosen, self.other_side = self.other_side, stopped
            self.left = [mask for mask in self.left if not mask & chosen]
            self._start(chosen, self.stands[lanes_in(chosen)[0]])
        else:
            pc = self.stands[lanes_in(self.left.pop() & ready)[0]]
            self._displace()
            self.other_side = 0
            self._start(self._waiting(READY, pc), pc)
        return True

    def _displace(self) -> None:
        """The other side of the last branch is such no more; it is due next where nobody is."""
        waiting = self.other_side & self.live & ~self.active & ~self._waiting(READY)
        if waiting and not self.old & self.live & ~self.active:
            self.old = waiting

    def _forget(self, released: int) -> None:
        if self.old & released:
            self.old &= ~released
            if not self.old & self.live:
                self.old = self.live & ~self.active & ~self.other_side

    def _passes(self, barrier: int, stopped: int) -> bool:
        """A barrier whose other lanes all wait or have yielded lets those there go; a second one only in its turn."""
        others = self.live & ~stopped
        there = self._waiting(barrier) & self.barriers[barrier]
        if others & ~self._waiting(YIELDED) & ~self._blocked():
            return False
        if self.passed_by & others:
            due = self.old & others or others & ~self.other_side & ~self.in_part
            if not due or not there >> self._first(due) & 1:
                return False
        self._let_go(barrier, there)
        self._forget(there)
        self.passed_by |= self._waiting(YIELDED)
        return True

    def _let_go(self, barrier: int, there: int) -> None:
        self.barriers[barrier] = 0
        self._start(there, self.stands[lanes_in(there)[0]] + 1)

    def _first(self, mask: int) -> int:
        return next(lane % LANES for lane in range(self.turn, self.turn + LANES) if mask >> lane % LANES & 1)

    def _serve(self, stopped: int, yields: bool) -> None:
        lane = self._first(self._due(stopped, yields))
        state, pc = self.waits_for[lane], self.stands[lane]
        self.turn = (lane + 1) % LANES
        if state == YIELDED:
            self._start(self._waiting(YIELDED, pc), pc)
        else:
            self._let_go(state, self._waiting(state) & self.barriers[state])
        self.old = self.live & ~self.active

    def _due(self, stopped: int, yields: bool) -> int:
        """The lanes among which the turn decides: the first of these that are any."""
        yielded = self._waiting(YIELDED)
        others, before = self.live & ~stopped, yielded & ~stopped
        away, whole = others & ~self.other_side, ~self.in_part
        passed_by = 0 if yields else before & self.passed_by
        old = self.old & self.live
        return (
            self._servable(yielded if yields else before & ~self.passed_by, old)
            or passed_by & old
            or passed_by & (others if old else away)
            or passed_by
            or self._servable(yielded if yields else before, away & whole)
            or self._servable(before, others & whole)
            or self._servable(yielded, others & whole)
            or self._servable(yielded, others)
            or self._servable(yielded, self.live)
            or self.live
        )

    def _servable(self, yielded: int, among: int) -> int:
        """Those of some lanes that have yielded, or wait at a barrier that is complete if these have yielded."""
        servable = self._waiting(YIELDED)
        for barrier, named in self.barriers.items():
            there = self._waiting(barrier) & named
            if not named & self.live & ~there & ~yielded & ~self._blocked():
                servable |= there
        return servable & among
