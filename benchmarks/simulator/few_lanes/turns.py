"""Rules that decide which part of a warp goes on: those of `simcore.core.execution.flow`, for a few instructions.

Where a part stops, what a branch left last goes on. Where no branch left anything, the lane whose turn it is goes on,
with all lanes at its place. It keeps the turn until it runs; then the next lane that does not run has it.
"""

from collections.abc import Callable
from typing import Any

LANES = 32
READY, YIELDED = -1, -2
"""What lanes that do not run wait for besides barriers: nothing; that others stop."""

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
        self.amended: set[int] = set()  # barriers that more than one BSSY has set
        self.stack: list[int] = []  # the first lanes of what branches left, the latest last
        self.left = 0  # the last branch
        self.turn = 0
        self.noted: list[tuple[int, int]] = []
        # What ran before each note, and how much of it runs again.
        self.ways: list[tuple[tuple[int, ...], int]] = []
        self._ran: list[int] = []
        self._again = 0

    def run(self, most: int = 5000) -> list[tuple[int, int]]:
        """The places noted, and the lanes there, until all lanes have ended, or too many steps."""
        for _ in range(most):
            if not self.active:
                break
            while self.pc not in self.steps:
                self.pc += 1
            step = self.steps[self.pc]
            self._ran.append(self.pc)
            getattr(self, f"_{step.kind.lower()}")(step)
        return self.noted

    def _note(self, step: Any) -> None:
        self.noted.append((step.value, self.active))
        self.ways.append((tuple(self._ran), self._again))
        self._ran, self._again = [], 0
        if any(self.paths[lane][self.at[lane]] != step.value for lane in lanes_in(self.active)):
            self.active = 0  # the rules have led a lane off its path
            return
        for lane in lanes_in(self.active):
            self.at[lane] += 1
        self.pc += 1

    def _bssy(self, step: Any) -> None:
        before = self.barriers.get(step.value, 0) & self.live
        if not before:
            self.amended.discard(step.value)
        elif before & ~self.active:
            self.amended.add(step.value)
        self.barriers[step.value] = before | self.active
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
            self.left = sides[1][0]
            self._park(*sides[1], READY)
            self.stack.append(lanes_in(self.left)[0])
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
            self._stop(self.pc + 1, YIELDED)

    def _bsync(self, step: Any) -> None:
        named = self.barriers.get(step.value, 0) & self.live
        others = named & ~self.active
        together = others & self._waiting(step.value) & self._at(self.pc)
        if not named & self.active:
            self.pc += 1
        elif not others & ~self._blocked() or (
            named & self.active == self.active and self._all_stand_still()
        ):
            for lane in lanes_in(others):
                self.waits_for[lane] = READY
            self.barriers[step.value] = 0
            self._again += step.value in self.amended
            self._start(self.active | together, self.pc + 1)
        elif self.active & ~named:
            self._park(self.active & named, self.pc, step.value)
            self.active &= ~named
            self.pc += 1
        else:
            self._stop(self.pc, step.value)

    def _exit(self, step: Any) -> None:
        self.live &= ~self.active
        self.active = 0
        if self.live:
            self._go_on(0)

    def _stop(self, pc: int, state: int) -> None:
        stopped, self.active = self.active, 0
        self._park(stopped, pc, state)
        self._go_on(stopped)

    def _park(self, mask: int, pc: int, state: int) -> None:
        for lane in lanes_in(mask):
            self.stands[lane], self.waits_for[lane] = pc, state

    def _go_on(self, stopped: int) -> None:
        if not self.stack:
            candidates = self.live & ~stopped or self.live
            self.turn = self._first(candidates)
            self._start_at(self.stands[self.turn])
            return
        leader = self.stack.pop()
        left, self.left = self.left, 0
        if left >> leader & 1:
            self._start(left, self.stands[leader])
        else:
            self._start_at(self.stands[leader])

    def _start_at(self, pc: int) -> None:
        there = self._at(pc)
        for lane in lanes_in(there):
            self.barriers[self.waits_for[lane]] = 0
        self._start(there, pc)

    def _start(self, mask: int, pc: int) -> None:
        self.active, self.pc = mask, pc
        still = self.live & ~mask
        if still and not still >> self.turn & 1:
            self.turn = self._first(still)

    def _first(self, mask: int) -> int:
        return next(lane % LANES for lane in range(self.turn, self.turn + LANES) if mask >> lane % LANES & 1)

    def _waiting(self, state: int) -> int:
        return self._lanes(lambda lane: self.waits_for[lane] == state)

    def _blocked(self) -> int:
        return self._lanes(lambda lane: self.waits_for[lane] >= 0)

    def _at(self, pc: int) -> int:
        return self._lanes(lambda lane: self.stands[lane] == pc)

    def _all_stand_still(self) -> bool:
        return not self.stack and not self._waiting(READY)

    def _lanes(self, test: Callable[[int], bool]) -> int:
        return sum(1 << lane for lane in lanes_in(self.live & ~self.active) if test(lane))
