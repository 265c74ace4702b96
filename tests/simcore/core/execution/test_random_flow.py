"""Warps come apart and meet again as on an H100: their notes and warp instructions are those measured."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from benchmarks.simulator.random_flow.comparison import differences
from benchmarks.simulator.random_flow.data import LANES, WARPS, inputs, no_notes
from benchmarks.simulator.random_flow.generator import cuda
from simcore import compile_cuda, execute

MEASURED = Path(__file__).parents[3] / "silicon" / "h100-sxm" / "random_flow"

WITHOUT_YIELD = [14, 17, 42, 51, 60, 69, 85, 90, 94, 108, 226, 240]
WITH_YIELD = [21, 53, 79, 99, 109, 119, 125, 150, 175, 176, 179, 180, 189, 228, 244, 269, 290, 346, 380, 392]
WITH_YIELD += [4, 25, 58, 74, 100, 148, 164, 229, 264, 284, 315, 395]
"""BREAK, WARPSYNC and calls among them."""


@cache
def _cubin() -> bytes:
    return compile_cuda(cuda(WITHOUT_YIELD + WITH_YIELD), "h200")


@pytest.mark.parametrize("seed", WITHOUT_YIELD + WITH_YIELD)
def test_the_parts_of_a_warp_run_in_the_order_measured(seed: int) -> None:
    measured = np.load(MEASURED / "notes.npz")
    theirs = dict(zip(measured["seeds"].tolist(), measured["notes"], strict=True))[seed]
    notes = no_notes()
    instructions = execute(
        cubin=_cubin(),
        kernel=f"k{seed}",
        grid=WARPS,
        block=LANES,
        arguments=[inputs(seed), notes],
        gpu="h200",
    )
    assert differences(notes, theirs) == []
    assert instructions == json.loads((MEASURED / "counters.json").read_text())[str(seed)]
