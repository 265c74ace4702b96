"""Atomics on few lines and fences, as measured on an H200 and an H100."""

import csv
from pathlib import Path

import numpy as np
import pytest

from simcore import compile_cuda
from simcore.simulation import simulate
from simcore.validation.measurement import Measurement
from simcore.validation.pairing import pair
from simcore.validation.reading import read_measurements
from testing.silicon_data import times

SILICON = Path(__file__).parents[3] / "silicon"
GPUS = ("h200", "h100-sxm")


def measured(gpu: str, file: str, **wanted: int) -> list[Measurement]:
    points = pair(read_measurements(SILICON / gpu / f"{file}.jsonl.gz").measurements, None)
    return [point for point in points if wanted.items() <= dict(point.parameters).items()]


def predicted(measurement: Measurement, gpu: str) -> float:
    assert measurement.recipe
    return simulate(**measurement.recipe.launch(gpu)).time_us


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize(("lanes", "apart"), [(1, 1), (4, 1), (8, 1), (2, 8), (8, 4), (16, 2), (32, 1)])
def test_a_slice_takes_so_long_for_each_sector(gpu: str, lanes: int, apart: int) -> None:
    """micro/l2/partial_atomics: few words of a sector take as long as one."""
    (point,) = measured(gpu, "partial_atomics", lanes=lanes, apart=apart, lines=1)
    assert predicted(point, gpu) == pytest.approx(point.time_us, rel=0.08)


HOT_BUFFERS = """
extern "C" __global__ void hot_buffers(unsigned* a, unsigned* b, unsigned* c, unsigned* d, int each)
{
    unsigned* const at[4] = {a, b, c, d};
    if (threadIdx.x % 32) return;
#pragma unroll 1
    for (int i = 0; i < each; ++i)
#pragma unroll
        for (int k = 0; k < BUFFERS; ++k) atomicAdd(at[k], 1u);
}
"""


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("buffers", [1, 2, 4])
def test_slices_of_different_buffers_serve_atomics_at_the_same_time(gpu: str, buffers: int) -> None:
    """micro/l2/hot_buffers: two and four buffers take as long as one."""
    with (SILICON / gpu / "hot_buffers.csv").open() as lines:
        wanted = {"buffers": str(buffers), "warps": "4", "each": "256"}
        (row,) = (row for row in csv.DictReader(lines) if wanted.items() <= row.items())
    found = simulate(
        cubin=compile_cuda(HOT_BUFFERS, gpu, {"BUFFERS": buffers}),
        grid=132,
        block=128,
        arguments=[*(np.zeros(1024, np.uint32) for _ in range(4)), np.int32(256)],
        gpu=gpu,
    )
    assert found.time_us == pytest.approx(float(row["us"]), rel=0.08)


SENT_ATOMICS = """
extern "C" __global__ void sent_atomics(unsigned* data, unsigned* when, int count)
{
    __shared__ unsigned marks[8 * 512];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane < LANES) {
#pragma unroll 1
        for (int i = 0; i < count; ++i) {
            asm volatile("red.global.add.u32 [%0], 1;" ::"l"(data + lane) : "memory");
            unsigned cycles;
            asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
            if (lane == 0) marks[warp * 512 + i] = cycles;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x) when[blockIdx.x * 512 + i] = marks[i];
}
"""
WAITS = ("long_scoreboard", "short_scoreboard", "lg_throttle", "mio_throttle")


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("at", ["word", "line"])
@pytest.mark.parametrize("warps", [4, 8])
def test_an_sm_waits_when_as_many_atomics_are_on_their_way_as_on_a_gpu(gpu: str, at: str, warps: int) -> None:
    """micro/l2/sent_atomics: until then they are issued at the pace of the loop."""
    with (SILICON / gpu / "sent_atomics.csv").open() as lines:
        rows = [row for row in csv.DictReader(lines) if (row["at"], row["warps"]) == (at, str(warps))]
    sent, cycles = (np.array([int(row[column]) for row in rows]) for column in ("sent", "cycles"))
    is_late = cycles > 1.15 * sent * cycles[7] / sent[7]
    first_late = sent[is_late & (sent > sent[7])].min()

    def waiting(count: int) -> float:
        stalls = simulate(
            cubin=compile_cuda(SENT_ATOMICS, gpu, {"LANES": 32 if at == "line" else 1}),
            grid=132,
            block=32 * warps,
            arguments=[np.zeros(64, np.uint32), np.zeros(132 * 512, np.uint32), np.int32(count)],
            gpu=gpu,
        ).stalls
        return sum(stalls[reason] for reason in WAITS) / sum(stalls.values())

    assert waiting(int(0.8 * first_late)) < 0.25
    assert waiting(int(1.3 * first_late)) > 0.4


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("atomics", [1, 2])
@pytest.mark.parametrize("reads", [0, 2])
def test_values_that_are_returned_take_the_slices_time(gpu: str, atomics: int, reads: int) -> None:
    """micro/l2/reads_and_atomics: twice as much as without, of all SMs; reads go on beside them."""
    there, here = times("reads_and_atomics", gpu, atomics=atomics, reads=reads, returns=1, blocks=132)
    assert here == pytest.approx(there, rel=0.12)


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("returns", [0, 1])
@pytest.mark.parametrize("kind", [0, 2, 5])
def test_doubles_take_the_slices_longer_than_integers_and_halves(gpu: str, kind: int, returns: int) -> None:
    """micro/l2/atomic_types."""
    there, here = times("atomic_types", gpu, type=kind, returns=returns, row=32, region=16384)
    assert here == pytest.approx(there, rel=0.15)


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("count", [0, 1, 4])
@pytest.mark.parametrize("warps", [1, 4])
def test_a_fence_takes_longer_behind_accesses(gpu: str, count: int, warps: int) -> None:
    """micro/core/fence_behind_stores."""
    points = measured(gpu, "fence_behind_stores", count=count, scope=1, warps=warps)
    assert points
    for point in points:
        if dict(point.parameters)["kind"] < 2:  # with loads, an H100's fences wait for each other
            assert predicted(point, gpu) == pytest.approx(point.time_us, rel=0.17)


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("scope", [0, 2])
def test_a_fence_of_a_block_is_nearly_free_and_one_of_the_system_is_not(gpu: str, scope: int) -> None:
    for point in measured(gpu, "fence_behind_stores", scope=scope, kind=0):
        assert predicted(point, gpu) == pytest.approx(point.time_us, rel=0.15)
