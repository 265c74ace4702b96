"""What taken branches and yields wait for, as measured."""

import csv
import gzip

import numpy as np
import pytest

from simcore import compile_cuda, profile, simulate
from testing import silicon_data

LOOPS = [
    ("tensor_core", {"chains": 1, "unroll": 4, "block_size": 32}, 17),
    ("tensor_core", {"chains": 2, "unroll": 1, "block_size": 32}, 15),
    ("fp64_chain", {"chains": 1, "unroll": 8, "block_size": 512}, 15),
]
"""A family, a point and the instruction to which its loop goes back, by branches with stall counts of 10 and 11."""


def seen(space: str, parameters: dict[str, int], instruction: int, reason: str) -> float:
    """Cycles for which a warp was seen to stall each time before an instruction: as samples of issues are to issues."""
    point = " ".join(f"{name}={value}" for name, value in parameters.items())
    with gzip.open(silicon_data.FOLDER / "sources.csv.gz", "rt") as lines:
        rows = [row for row in csv.DictReader(lines) if (row["space"], row["parameters"]) == (space, point)]
    executed = {int(row["instruction"]): int(row["executed"]) for row in rows}
    selected = sum(int(row["samples"]) for row in rows if row["stall"] == "selected")
    samples = sum(
        int(row["samples"])
        for row in rows
        if (int(row["instruction"]), row["stall"]) == (instruction, reason)
    )
    return samples * sum(executed.values()) / selected / executed[instruction]


@pytest.mark.parametrize(("space", "parameters", "target"), LOOPS)
def test_a_branch_resolves_in_three_cycles_of_a_long_stall_count(
    space: str, parameters: dict[str, int], target: int
) -> None:
    point = next(
        p
        for p in silicon_data.measured("families") + silicon_data.measured("validation")
        if p.space == space and p.record["parameters"] == parameters
    )
    instruction = profile(**point.launch()).instructions[target]
    predicted = instruction.stalls["branch_resolving"] / instruction.issues
    assert predicted == pytest.approx(seen(space, parameters, target, "branch_resolving"), abs=0.4)


YIELDS = """
extern "C" __global__ void yields(int* out, int step, int warps)
{
    __shared__ int table[1024];
    const int warp = threadIdx.x / 32;
    int* mine = table + threadIdx.x;
    *mine = threadIdx.x;
    __syncthreads();
    if (warp % step || warp / step >= warps) return;
    int x = 1;
    for (int i = 0;; ++i) {
        const int old = atomicCAS(mine, -1, x);
        if (old == -1) x += 3;
        if (old == -1 || i == ROUNDS) break;
    }
    if (x == 12345) *out = x;
}
"""
ROUNDS = 2048


@pytest.mark.parametrize("gpu", ["h200", "h100-sxm"])
@pytest.mark.parametrize(
    ("warps", "one_scheduler"), [(1, False), (8, False), (32, False), (4, True), (8, True)]
)
def test_yields_take_turns(gpu: str, warps: int, *, one_scheduler: bool) -> None:
    """micro/core/yield_cost."""
    with (silicon_data.FILES / gpu / "yield_cost.csv").open() as lines:
        wanted = {"warps": str(warps), "one_scheduler": str(int(one_scheduler)), "work": "0"}
        (row,) = (row for row in csv.DictReader(lines) if wanted.items() <= row.items())
    found = simulate(
        cubin=compile_cuda(YIELDS, gpu, {"ROUNDS": ROUNDS}),
        grid=132,
        block=1024,
        arguments=[np.zeros(1, np.int32), np.int32(4 if one_scheduler else 1), np.int32(warps)],
        gpu=gpu,
    )
    assert found.cycles / ROUNDS == pytest.approx(float(row["first"]), rel=0.06)
