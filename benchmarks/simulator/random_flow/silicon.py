"""Runs the programs of a bundle on the GPU of this machine.

`OUT/notes.npz` holds, by program, what its warps noted; `OUT/counters.json` warp instructions, and `OUT/warps.json`
those of each warp, launched alone.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.silicon.runner.device import Device
from benchmarks.simulator.random_flow.data import LANES, WARPS, inputs, no_notes
from benchmarks.simulator.random_programs.silicon import counted, first_of, launches

BENCHMARK = "benchmarks.simulator.random_flow"


def run_bundle(bundle: Path, out: Path) -> None:
    """Launch each program once, and keep its notes."""
    out.mkdir(parents=True, exist_ok=True)
    device = Device(bundle)
    left = {seed: notes for seed, (_, notes) in launches(bundle, WARPS, LANES, _arrays)}
    np.savez_compressed(out / "notes.npz", seeds=np.array(list(left)), notes=np.array(list(left.values())))
    (out / "machine.json").write_text(json.dumps(device.description()))
    print(f"{len(left)} programs")


def launch_first(bundle: Path, programs: int) -> None:
    """Launch the first programs, for the profiler to count."""
    Device(bundle)
    for _ in launches(bundle, WARPS, LANES, _arrays, first_of(bundle, programs)):
        pass


def count_warps(bundle: Path, out: Path, programs: int) -> None:
    """Warp instructions of each warp of the first programs, launched alone under the profiler."""
    out.mkdir(parents=True, exist_ok=True)
    by_program: dict[str, list[int]] = {}
    for seed, number in counted(BENCHMARK, str(bundle), "--programs", str(programs), "--apart"):
        by_program.setdefault(seed, []).append(number)
    (out / "warps.json").write_text(json.dumps(by_program))
    print(f"{len(by_program)} programs")


def launch_apart(bundle: Path, programs: int) -> None:
    """Launch each warp of the first programs alone: the first warps of all, then the second ones."""
    Device(bundle)
    for warp in range(WARPS):

        def arrays(seed: int, warp: int = warp) -> list[NDArray[Any]]:
            return [inputs(seed).reshape(WARPS, LANES)[warp].copy(), no_notes()[warp : warp + 1].copy()]

        for _ in launches(bundle, 1, LANES, arrays, first_of(bundle, programs)):
            pass


def _arrays(seed: int) -> list[NDArray[Any]]:
    return [inputs(seed), no_notes()]
