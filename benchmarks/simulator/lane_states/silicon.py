"""Runs the kernels of a bundle on the GPU of this machine."""

from pathlib import Path

import numpy as np
from cuda.bindings import driver
from numpy.typing import NDArray

from benchmarks.silicon.runner.device import Device, call, launch_once


def run(bundle: Path, out: Path) -> None:
    """Launch each kernel once, and keep its notes."""
    device = Device(bundle)
    kept: dict[str, NDArray[np.uint32]] = {}
    for file in sorted(bundle.glob("*.npz")):
        words = np.load(file)
        module = call(driver.cuModuleLoadData, file.with_suffix(".cubin").read_bytes())
        function = call(
            driver.cuModuleGetFunction, module, (file.stem if file.stem[0] == "k" else "k").encode()
        )
        notes = np.zeros((len(words["inputs"]), *words["notes"]), np.uint32)
        launch_once(function, len(notes), 32, [words["inputs"], notes])
        kept[f"{file.stem}_inputs"] = words["inputs"]
        kept[f"{file.stem}_notes"] = notes[:, : (notes[..., 0] != 0).sum(1).max() + 1]
        call(driver.cuModuleUnload, module)
    out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(out / "lane_states.npz", **kept)  # type: ignore[arg-type]
    print(f"{len(kept) // 2} launches on {device.description()}")
