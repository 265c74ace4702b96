"""Runs a bundle on the GPU of this machine: `OUT/results-N.npz` holds what forms left, by their place."""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.silicon.runner.device import Device
from benchmarks.simulator.instruction_forms.data import BLOCKS, THREADS, Words, empty, inputs
from benchmarks.simulator.random_programs.silicon import launches

FORMS_A_FILE = 900


def run_bundle(bundle: Path, out: Path) -> None:
    """Launch each form once, and keep what it left."""
    out.mkdir(parents=True, exist_ok=True)
    device = Device(bundle)
    operands = json.loads((bundle / "operands.json").read_text())

    def arrays(place: int) -> list[NDArray[np.uint64]]:
        return [inputs(operands[place]), empty()]

    left = [(place, results) for place, (_, results) in launches(bundle, BLOCKS, THREADS, arrays)]
    for first in range(0, len(left), FORMS_A_FILE):
        places, results = zip(*left[first : first + FORMS_A_FILE], strict=True)
        np.savez_compressed(out / f"results-{first}.npz", places=np.array(places), results=np.array(results))
    (out / "machine.json").write_text(json.dumps(device.description()))
    print(f"{len(left)} forms")


def read(folder: Path) -> dict[int, Words]:
    """What a GPU left, by the forms' places."""
    files = [np.load(file) for file in sorted(folder.glob("results-*.npz"))]
    return {
        int(place): results
        for file in files
        for place, results in zip(file["places"], file["results"], strict=True)
    }
