"""What becomes of lines that a thread or an SM has for itself: L1's hits, and what L2 loses and fetches again."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dse.evaluation.contents import device_arguments
from search_spaces import load_space
from simcore import Buffer, compile_cuda
from simcore.core.timing.state import COUNT_DRAM_BYTES, COUNT_L2_SECTORS
from simcore.session.request import TimingRequest
from simcore.session.timing import Run, run_launch

SILICON = Path(__file__).parents[3] / "silicon"

AGAIN = """extern "C" __global__ void again(const float4* data, float* out, int vectors, int everyone) {
    const float4* region = data + (everyone ? 0ll : (long long)blockIdx.x * vectors);
    float sum = 0.0f;
    for (int pass = 0; pass < 3; ++pass)
        for (int i = threadIdx.x; i < vectors; i += 1024) sum += __ldcg(region + i).x;
    out[blockIdx.x * 1024 + threadIdx.x] = sum; }"""


def from_dram(kib: int, everyone: bool) -> float:
    """Bytes from DRAM relative to a region that an SM reads three times: its own, or the same as all others."""
    vectors = kib * 64
    run = run_launch(
        TimingRequest(
            cubin=compile_cuda(AGAIN, "h200"),
            grid=132,
            block=1024,
            arguments=[
                Buffer("float32", (1 if everyone else 132) * vectors * 4),
                Buffer("float32", 132 * 1024),
                np.int32(vectors),
                np.int32(everyone),
            ],
            gpu="h200",
        )
    )
    return float(run.sm.counters[COUNT_DRAM_BYTES]) / (kib * 1024)


def test_what_l2_lost_is_fetched_again_by_an_sm_alone() -> None:
    assert from_dram(256, everyone=False) < 0.1  # 33 MiB: kept from launch to launch
    assert from_dram(1024, everyone=False) == pytest.approx(
        3.0, rel=0.1
    )  # 132 MiB: lost before it is read again
    assert from_dram(1024, everyone=True) < 0.1


def catalog(gpu: str, unroll: int) -> dict[str, Any]:
    """The measured point of rsqrt_chain in blocks of 256 threads, 512 elements each."""
    wanted = {"unroll": unroll, "n": 512, "block_size": 256, "register_cap": None}
    with gzip.open(SILICON / gpu / "catalog.jsonl.gz", "rt") as lines:
        next(lines)
        (point,) = [
            p for p in map(json.loads, lines) if p["space"] == "rsqrt_chain" and p["parameters"] == wanted
        ]
    return dict(point)


def run(gpu: str, unroll: int) -> Run:
    space = load_space("rsqrt_chain")
    point = {"unroll": unroll, "n": 512, "block_size": 256, "register_cap": None}
    launch = space.launch(point)
    cubin = compile_cuda(space.source, gpu, space.defines(point), space.register_cap(point))
    arguments = device_arguments(space.arguments(point))
    return run_launch(
        TimingRequest(cubin=cubin, grid=launch.grid, block=launch.block, arguments=arguments, gpu=gpu)
    )


@pytest.mark.parametrize("gpu", ["h200", "h100-sxm"])
@pytest.mark.parametrize("unroll", [2, 4, 8])
def test_warps_that_load_in_turn_hit_l1_as_often_as_on_the_gpu(gpu: str, unroll: int) -> None:
    found = run(gpu, unroll)
    hits = 1 - float(found.sm.counters[COUNT_L2_SECTORS]) / (len(found.blocks) * 256 * 512)
    measured = catalog(gpu, unroll)["counters"]["l1tex__t_sector_hit_rate.pct"] / 100
    assert hits == pytest.approx(measured, abs=0.07)
