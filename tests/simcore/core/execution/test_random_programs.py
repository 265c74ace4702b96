"""Random programs leave the same on all architectures, on a host where it can run them, and on an H200.

A few seeds; `python -m benchmarks.simulator.random_programs` runs as many as one likes.
"""

import json
from pathlib import Path
from shutil import copy

import numpy as np
import pytest

from benchmarks.simulator.random_programs.__main__ import GPUS
from benchmarks.simulator.random_programs.against_silicon import compare
from benchmarks.simulator.random_programs.bundle import write_bundle
from benchmarks.simulator.random_programs.comparison import differences, simulated
from benchmarks.simulator.random_programs.data import BLOCKS, THREADS, empty, inputs
from benchmarks.simulator.random_programs.generator import cuda, program
from simcore import compile_cuda, simulate

MEASURED = Path(__file__).parents[3] / "silicon" / "h200" / "random_programs"
"""What 300 programs left on an H200, and left on an H100, too."""
FRESH = Path(__file__).parents[3] / "silicon" / "h100-sxm" / "random_programs"
"""Warp instructions of 5,000 programs."""
BLIND = Path(__file__).parents[3] / "silicon" / "h100-sxm" / "random_programs_blind"
"""What programs by which no rule was chosen left on an H100, and their warp instructions."""


@pytest.mark.parametrize("seed", [2, 3, 24, 25])
def test_a_random_program_is_the_same_everywhere(seed: int) -> None:
    assert differences(program(seed), GPUS.split(",")) == []


@pytest.mark.parametrize(("gpu", "programs"), [("h200", 12), ("a100-80gb", 6), ("rtx5090", 6)])
def test_random_programs_leave_what_they_left_on_an_h200(gpu: str, programs: int, tmp_path: Path) -> None:
    write_bundle(tmp_path, 1, programs, gpu)
    copy(MEASURED / "results.npz", tmp_path)  # the warp instructions are those of the cubins that ran there
    found = dict(compare(tmp_path, tmp_path, jobs=1))
    assert len(found) >= programs - 2
    assert not any(found.values()), found


def test_fresh_random_programs_leave_and_execute_what_they_did_on_an_h100(tmp_path: Path) -> None:
    write_bundle(tmp_path, 200001, 12, "h100-sxm")
    for name in ("results.npz", "counters.json"):
        copy(BLIND / name, tmp_path)
    found = dict(compare(tmp_path, tmp_path, jobs=1))
    assert len(found) == 12
    assert not any(found.values()), found


@pytest.mark.parametrize("seed", [41, 97, 112, 272, 291])
def test_splits_go_on_and_meet_as_on_an_h200(seed: int) -> None:
    """The barriers that a YIELD or a BREAK completes decide how often these loops' instructions are issued."""
    counted = json.loads((MEASURED / "counters.json").read_text())[str(seed)]
    one = program(seed)
    assert simulated(one, compile_cuda(cuda([one]), "h200"), "h200").instructions == counted


@pytest.mark.parametrize("seed", [100149, 100565, 100833, 101055, 102941, 103865])
def test_what_lets_go_again_is_executed_as_often_as_on_an_h100(seed: int) -> None:
    """Barriers that several splits added lanes to, or that recursion set aside; a collective operation of parts."""
    counted = json.loads((FRESH / "counters.json").read_text())[str(seed)]
    one = program(seed)
    assert simulated(one, compile_cuda(cuda([one]), "h100-sxm"), "h100-sxm").instructions == counted


@pytest.mark.parametrize(
    ("seed", "counters"),
    [
        *[(seed, "counters.json") for seed in (100479, 100601, 100683, 103011, 103085)],
        *[(seed, "counters.json") for seed in (100169, 100931, 102857, 103191)],
        *[(seed, "fresh_counters.json") for seed in (110245, 110935, 112303)],
        *[(seed, "fresh_counters.json") for seed in (110137, 110931, 111699)],
    ],
)
def test_parts_of_a_warp_come_to_barriers_as_often_as_on_an_h100(seed: int, counters: str) -> None:
    """Part masks that lanes come to at different times; a block's barrier that a warp comes to in parts."""
    counted = json.loads((FRESH / counters).read_text())[str(seed)]
    one = program(seed)
    assert simulated(one, compile_cuda(cuda([one]), "h100-sxm"), "h100-sxm").instructions == counted


@pytest.mark.parametrize("seed", [101452, 102287])
def test_a_division_takes_the_slow_path_as_on_an_h100(seed: int) -> None:
    """Divisors near the end of the range, which one lane alone has."""
    counted = json.loads((FRESH / "counters.json").read_text())[str(seed)]
    one = program(seed)
    assert simulated(one, compile_cuda(cuda([one]), "h100-sxm"), "h100-sxm").instructions == counted


def test_a_zero_taken_from_a_wide_product_borrows_nothing() -> None:
    """As an H100 left it: the greatest of the lanes' values is of one whose product lost nothing."""
    one = program(9749)
    cells = simulated(one, compile_cuda(cuda([one]), "h100-sxm"), "h100-sxm").results.cells
    assert cells[80] == 0xFFFFFFFF


@pytest.mark.parametrize("seed", [6, 41, 97, 272])
def test_what_is_left_out_for_a_prediction_changes_no_path(seed: int) -> None:
    """Counting executes a slice, and `simulated` everything."""
    one = program(seed)
    cubin = compile_cuda(cuda([one]), "h200")
    arguments = [inputs(seed), *empty().arrays]
    predicted = simulate(cubin=cubin, grid=BLOCKS, block=THREADS, arguments=arguments, gpu="h200")
    assert predicted.warp_instructions == simulated(one, cubin, "h200").instructions


def test_a_difference_is_named(tmp_path: Path) -> None:
    write_bundle(tmp_path, 1, 1, "h200")
    results = dict(np.load(MEASURED / "results.npz"))
    results["sums"][:, 5] ^= 1
    results["cells"][:, 7] ^= 1
    np.savez(tmp_path / "results.npz", **results)
    (tmp_path / "counters.json").write_text(json.dumps({"1": 7}))
    ((seed, lines),) = compare(tmp_path, tmp_path, jobs=1)
    assert seed == 1
    assert lines is not None
    assert [line.split(",")[0] for line in lines[:2]] == ["1 cells", "outputs of 1 threads from [5]"]
    assert lines[2].endswith("warp instructions, not 7")


def test_a_seed_is_a_program() -> None:
    assert program(7) == program(7)
    assert program(7).body != program(9).body
    assert [program(seed).exchanges for seed in (6, 7)] == [False, True]
