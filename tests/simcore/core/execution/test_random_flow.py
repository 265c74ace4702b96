"""Warps come apart and meet again as on an H100: their notes and warp instructions are those measured."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from benchmarks.simulator.random_flow.comparison import differences
from benchmarks.simulator.random_flow.data import LANES, WARPS, Words, inputs, no_notes
from benchmarks.simulator.random_flow.generator import cuda, cuda_of_parts
from simcore import compile_cuda, execute

MEASURED = Path(__file__).parents[3] / "silicon" / "h100-sxm" / "random_flow"

WITHOUT_YIELD = [14, 17, 42, 51, 60, 69, 85, 90, 94, 108, 226, 240]
WITH_YIELD = [21, 53, 79, 99, 109, 119, 125, 150, 175, 176, 179, 180, 189, 228, 244, 269, 290, 346, 380, 392]
WITH_YIELD += [4, 25, 58, 74, 100, 148, 164, 229, 264, 284, 315, 395]
"""BREAK, WARPSYNC and calls among them."""
WITH_RECURSION = [71, 78, 118, 167, 184, 251, 286, 394]
"""Barriers set aside and restored, collective operations that parts come to one after the other."""
WITH_RECURSION += [36, 46, 116, 145, 162, 173, 193, 258, 304, 337, 363]
"""A BREAK from a barrier whose others wait elsewhere or have exited, returns to three places, several exits."""

IN_PARTS = [153, 154, 155, 157, 164, 170, 172, 174, 176, 181, 190]
"""Part masks that lanes come to at different times."""
IN_PARTS += [158, 168, 177, 186, 195, 203, 208, 215, 216, 218, 233, 314, 323, 327]
"""WARPSYNC.EXCLUSIVE and collective operations of parts, at which some wait while others have met."""


@cache
def _cubin() -> bytes:
    return compile_cuda(cuda(WITHOUT_YIELD + WITH_YIELD + WITH_RECURSION), "h200")


@cache
def _cubin_of_parts() -> bytes:
    return compile_cuda(cuda_of_parts(IN_PARTS), "h100-sxm")


@pytest.mark.parametrize("seed", WITHOUT_YIELD + WITH_YIELD)
def test_the_parts_of_a_warp_run_in_the_order_measured(seed: int) -> None:
    measured = np.load(MEASURED / "notes.npz")
    theirs = dict(zip(measured["seeds"].tolist(), measured["notes"], strict=True))[seed]
    notes = no_notes()
    assert _instructions(seed, inputs(seed), notes) == sum(_counted(seed))
    assert differences(notes, theirs) == []


@pytest.mark.parametrize("seed", WITH_RECURSION)
def test_each_warp_executes_as_many_instructions_as_measured(seed: int) -> None:
    words = inputs(seed).reshape(WARPS, LANES)
    found = [_instructions(seed, words[warp], no_notes()[:1]) for warp in range(WARPS)]
    assert found == _counted(seed)


@pytest.mark.parametrize("seed", IN_PARTS)
def test_parts_of_a_warp_meet_as_often_as_measured(seed: int) -> None:
    words = inputs(seed).reshape(WARPS, LANES)
    found = [_instructions(seed, words[warp], no_notes()[:1], _cubin_of_parts()) for warp in range(WARPS)]
    assert found == _counted(seed, "random_flow_parts")


def _instructions(seed: int, words: Words, notes: Words, cubin: bytes = b"") -> int:
    return execute(
        cubin=cubin or _cubin(),
        kernel=f"k{seed}",
        grid=len(notes),
        block=LANES,
        arguments=[words, notes],
        gpu="h200",
    )


def _counted(seed: int, folder: str = "random_flow") -> list[int]:
    return list(json.loads((MEASURED.parent / folder / "warps.json").read_text())[str(seed)])
