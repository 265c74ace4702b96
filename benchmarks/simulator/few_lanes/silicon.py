"""Runs the kernels of a bundle on the GPU of this machine."""

from pathlib import Path

import numpy as np
from cuda.bindings import driver
from numpy.typing import NDArray

from benchmarks.silicon.runner.device import Device, call, launch_once

LANES = 32


def run(bundle: Path, out: Path) -> None:
    """Launch each kernel once, and keep its notes."""
    device = Device(bundle)
    kept: dict[str, NDArray[np.generic]] = {}
    for file in sorted(bundle.glob("*.npz")):
        words = np.load(file)
        module = call(driver.cuModuleLoadData, file.with_suffix(".cubin").read_bytes())
        function = call(driver.cuModuleGetFunction, module, b"k")
        kept[f"{file.stem}_inputs"] = words["inputs"]
        kept[f"{file.stem}_notes"] = _notes(function, words["inputs"], int(words["notes"]))
    out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(out / "few_lanes.npz", **kept)  # type: ignore[arg-type]
    print(f"{len(kept) // 2} launches on {device.description()}")


def _notes(function: object, inputs: NDArray[np.uint32], notes: int) -> NDArray[np.uint16]:
    left = np.zeros((len(inputs), LANES, notes, 2), np.uint32)
    launch_once(function, len(inputs), LANES, [inputs, left])
    return since_first(left)


def since_first(left: NDArray[np.uint32]) -> NDArray[np.uint16]:
    """The notes with clocks since the warp's first."""
    place, clock = left[..., 0], left[..., 1]
    first = np.where(place[..., 0] > 0, clock[..., 0], 0xFFFF_FFFF).min(1)
    passed = np.where(place > 0, clock - first[:, None, None], 0)
    return np.stack([place, np.minimum(passed, 0xFFFF)], -1).astype(np.uint16)
