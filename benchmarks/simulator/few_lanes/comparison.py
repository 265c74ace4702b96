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
    paths = [[place for place in lane if place] + [0] for lane in notes[..., 0].tolist()]
    return Warp(steps, paths, _places_from).run()


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
