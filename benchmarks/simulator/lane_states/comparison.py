"""Executes the kernels of few lanes in the simulator, and compares the order of a warp's parts with a GPU's."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulator.few_lanes.kernels import BODIES
from benchmarks.simulator.lane_states.kernels import FEW, NOTES, WORDS, few_lanes, patched
from simcore import compile_cuda
from simcore.execution import execute_prepared
from simcore.session.request import LaunchRequest
from simcore.session.session import prepare

PLACE, LANES = 0, 1


def compare(measured: Path) -> None:
    """Print, for each kernel, how many warps run in the GPU's order."""
    for name in BODIES:
        alike = in_order(name, measured)
        few, whole = alike[:FEW], alike[FEW:]
        print(f"{name}: {few.sum()} of {len(few)} warps of a few lanes, {whole.sum()} of {len(whole)} of all")


def in_order(name: str, measured: Path) -> NDArray[np.bool_]:
    """Which warps note the same places by the same lanes in the same order."""
    found = np.load(measured)
    theirs = found[f"{name}_notes"]
    ours = executed(name, found[f"{name}_inputs"])[:, : theirs.shape[1]]
    return np.asarray((ours[..., [PLACE, LANES]] == theirs[..., [PLACE, LANES]]).all((1, 2)))


def executed(name: str, words: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The notes of a kernel in the simulator, where nothing but places and lanes is noted."""
    notes = np.zeros((len(words), NOTES, WORDS), np.uint32)
    request = LaunchRequest(
        cubin=patched(compile_cuda(few_lanes(name, probed=False), "h100-sxm"), (), True),
        kernel="k",
        grid=len(words),
        block=32,
        arguments=[words, notes],
        gpu="h100-sxm",
    )
    execute_prepared(prepare(request))
    return notes
