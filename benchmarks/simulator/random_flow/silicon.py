"""Runs the programs of a bundle on the GPU of this machine: `OUT/notes.npz` holds, by program, what its warps noted."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.silicon.runner.device import Device
from benchmarks.simulator.random_flow.data import LANES, WARPS, inputs, no_notes
from benchmarks.simulator.random_programs.silicon import first_of, launches


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


def _arrays(seed: int) -> list[NDArray[Any]]:
    return [inputs(seed), no_notes()]
