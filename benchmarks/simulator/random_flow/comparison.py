"""Executes the programs of a bundle in the simulator, and compares their notes with a GPU's."""

import json
import lzma
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.simulator.random_flow.data import LANES, NOTES, WARPS, Words, inputs, no_notes
from simcore.execution import execute_prepared
from simcore.session.request import LaunchRequest
from simcore.session.session import prepare


def compare(bundle: Path, out: Path) -> None:
    """Print what differs, a line a program."""
    measured = np.load(out / "notes.npz")
    theirs = dict(zip(measured["seeds"].tolist(), measured["notes"], strict=True))
    counters = out / "counters.json"
    counted = {int(s): n for s, n in json.loads(counters.read_text()).items()} if counters.exists() else {}
    compared = wrong = miscounted = silent = warned = 0
    for seed, notes, instructions, unsure in executed(bundle):
        compared += 1
        lines = differences(notes, theirs[seed])
        wrong += bool(lines)
        if counted.get(seed, instructions) != instructions:
            miscounted += 1
            lines.append(f"{instructions} warp instructions, not {counted[seed]}")
        silent += bool(lines) and not unsure
        warned += unsure and not lines
        for line in lines:
            print(f"program {seed}{'' if unsure else ', without a word'}: {line}", flush=True)
    print(f"{compared} programs: {wrong} leave other notes; {miscounted} of {len(counted)} count otherwise")
    print(f"{silent} of them without a word; {warned} programs are said to be approximate, and are not")


def executed(bundle: Path) -> Iterator[tuple[int, Words, int, bool]]:
    """Each program's seed, its notes in the simulator, its warp instructions, and whether they are approximate."""
    plan = json.loads((bundle / "plan.json").read_text())
    for name, seeds in plan["cubins"].items():
        cubin = lzma.decompress((bundle / name).read_bytes())
        for seed in seeds:
            notes = no_notes()
            request = LaunchRequest(
                cubin=cubin,
                kernel=f"k{seed}",
                grid=WARPS,
                block=LANES,
                arguments=[inputs(seed), notes],
                gpu=plan["gpu"],
            )
            session = prepare(request)
            instructions = execute_prepared(session)
            yield seed, notes, instructions, bool(session.unsure)


def differences(ours: Words, theirs: Words) -> list[str]:
    """The first note of each warp that differs."""
    lines = []
    for warp in range(WARPS):
        wrong = np.flatnonzero((ours[warp] != theirs[warp]).any(1))
        if len(wrong) and wrong[0] < NOTES - 1:
            at = wrong[0]
            (a, b), (c, d) = ours[warp, at].tolist(), theirs[warp, at].tolist()
            lines.append(f"warp {warp}, note {at}: {a} by {b:08x}, not {c} by {d:08x}")
    return lines
