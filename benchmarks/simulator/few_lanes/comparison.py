"""Replays what lanes did by the rules of `turns`, and counts the warps whose parts run in the GPU's order."""

import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.simulator.few_lanes.kernels import BODIES, WARPS, cubin
from benchmarks.simulator.few_lanes.turns import Warp
from benchmarks.simulator.random_flow.traces import FORMS, Event, cuda, events
from simcore.machine_code.compiler import compile_cuda
from simcore.machine_code.cubin import read_kernel
from simcore.machine_code.sass import decode

TWO_LOOPS = "two_loops.npz"
"""What `benchmarks.simulator.random_flow.traces` kept of two nested loops, all of whose lanes take part."""


class Step(NamedTuple):
    """An instruction that steers, or a note.

    Attributes:
        kind: of BSSY, BSYNC, BRA, YIELD, EXIT and NOTE.
        value: the barrier, the target, or the place noted.
        guarded: whether only some lanes jump.
    """

    kind: str
    value: int = 0
    guarded: bool = False


AGAIN = 30
"""Cycles that a BSYNC takes at the least when it is executed once more."""

Steps = dict[int, Step]
"""By the number of the instruction."""


def compare(folder: Path) -> None:
    """Print, for each kernel, how many warps run in the GPU's order."""
    measured = np.load(folder / "few_lanes.npz")
    for name in BODIES:
        steps = steps_of(cubin(name), "k")
        for lanes in WARPS:
            notes = measured[f"{name}_{lanes}_notes"].astype(np.int64)
            print(f"{name}, {lanes} lanes: {alike(steps, notes)} of {len(notes)} warps in the GPU's order")
    if (folder / TWO_LOOPS).exists():
        compiled = compile_cuda(cuda([FORMS["two_loops"] * 1000 + 1]), "h100-sxm")
        notes = np.concatenate(list(np.load(folder / TWO_LOOPS)["notes"]))
        steps = steps_of(compiled, f"k{FORMS['two_loops'] * 1000 + 1}")
        print(f"{TWO_LOOPS}: {alike(steps, notes)} of {len(notes)} warps in the GPU's order")


def alike(steps: Steps, notes: np.ndarray[Any, Any]) -> int:
    """How many warps run in the GPU's order."""
    return sum(replayed(steps, each) == in_order(events(each)) for each in notes)


def in_order(found: list[Event]) -> list[tuple[int, int]]:
    """Places, and the lanes there."""
    return [(place, lanes) for place, lanes, _ in found]


def replayed(steps: Steps, notes: np.ndarray[Any, Any]) -> list[tuple[int, int]]:
    """What a warp whose lanes left these notes [lane, note, (place, clock)] notes by the rules."""
    return warp_of(steps, notes).run()


def warp_of(steps: Steps, notes: np.ndarray[Any, Any]) -> Warp:
    """A warp whose lanes left these notes."""
    paths = [[place for place in lane if place] + [0] for lane in notes[..., 0].tolist()]
    return Warp(steps, paths, _places_from)


def clocks(folder: Path) -> None:
    """Print how much longer it takes to the next note where an amended barrier lets lanes go, than on the same way."""
    measured = np.load(folder / "few_lanes.npz")
    for name in BODIES:
        notes = [each for lanes in WARPS for each in measured[f"{name}_{lanes}_notes"].astype(np.int64)]
        longer = excess(steps_of(cubin(name), "k"), notes)
        for again, cycles in sorted(longer.items()):
            print(
                f"{name}, {again} BSYNC again: {len(cycles)} intervals, {np.median(cycles):.0f} cycles longer in the "
                f"median, {np.mean(np.array(cycles) >= AGAIN):.1%} by {AGAIN} or more"
            )


def excess(steps: Steps, notes: list[np.ndarray[Any, Any]]) -> dict[int, list[int]]:
    """By how many BSYNCs amended barriers let go: cycles to the next note beyond the shortest on the same way."""
    by_way: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for each in notes:
        warp, found = warp_of(steps, each), events(each)
        warp.run()
        for (way, again), (_, _, begin), (_, _, end) in zip(warp.ways[1:], found, found[1:], strict=False):
            by_way.setdefault(way, []).append((again, end - begin))
    longer: dict[int, list[int]] = {}
    for intervals in by_way.values():
        once = [cycles for again, cycles in intervals if not again]
        for again, cycles in intervals if once else []:
            longer.setdefault(again, []).append(cycles - min(once))
    return longer


def steps_of(compiled: bytes, name: str) -> Steps:
    """The steps of a kernel."""
    kernel = read_kernel(compiled, name)
    texts = [str(each) for each in decode(kernel.code, kernel.architecture)]
    found = {at: _step(texts, at) for at in range(len(texts))}
    return {at: step for at, step in found.items() if step}


def _step(texts: list[str], at: int) -> Step | None:
    text = texts[at]
    guarded = text.startswith("@")
    operation = re.match(r"(?:@!?P\d )?(BSSY|BSYNC|BRA|YIELD|EXIT)\b(?: (?:B(\d+))?,?(?:0x(\w+))?)?", text)
    if "SR_CLOCKLO" in text:
        return Step("NOTE", _place(texts, at))
    if not operation or (operation[1] == "EXIT" and guarded):
        return None
    value = int(operation[3], 16) // 16 if operation[1] == "BRA" else int(operation[2] or 0)
    return Step(operation[1], value, guarded)


def _place(texts: list[str], at: int) -> int:
    """The place of a note: what the next store writes."""
    store = next(n for n in range(at, len(texts)) if texts[n].startswith("STG"))
    register = texts[store].rsplit(",", 1)[1]
    moves = (re.match(rf"IMAD.MOV.U32 {register},RZ,RZ,0x(\w+)", texts[n]) for n in range(store, 0, -1))
    return next(int(move[1], 16) for move in moves if move)


def _places_from(steps: Steps, at: int) -> frozenset[int]:
    """The places that can be noted first from an instruction on; 0 where the program ends."""
    return _first_places(tuple(sorted(steps.items())), at)


@cache
def _first_places(steps: tuple[tuple[int, Step], ...], at: int) -> frozenset[int]:
    for number, step in steps:
        if number < at:
            continue
        if step.kind == "NOTE":
            return frozenset([step.value])
        if step.kind == "EXIT":
            return frozenset([0])
        if step.kind == "BRA":
            jumps = _first_places(steps, step.value)
            return jumps | _first_places(steps, number + 1) if step.guarded else jumps
    return frozenset([0])
