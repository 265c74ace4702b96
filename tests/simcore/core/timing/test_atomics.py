"""Atomics on few lines and fences, as measured on an H200 and an H100."""

import csv
from pathlib import Path

import numpy as np
import pytest

from simcore import compile_cuda, profile
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


def table(gpu: str, file: str, **wanted: object) -> list[dict[str, str]]:
    """The measured rows in which some columns are as wanted."""
    with (SILICON / gpu / f"{file}.csv").open() as lines:
        text = {column: str(value) for column, value in wanted.items()}
        return [row for row in csv.DictReader(lines) if text.items() <= row.items()]


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
    (row,) = table(gpu, "hot_buffers", buffers=buffers, warps=4, each=256)
    found = simulate(
        cubin=compile_cuda(HOT_BUFFERS, gpu, {"BUFFERS": buffers}),
        grid=132,
        block=128,
        arguments=[*(np.zeros(1024, np.uint32) for _ in range(4)), np.int32(256)],
        gpu=gpu,
    )
    assert found.time_us == pytest.approx(float(row["us"]), rel=0.08)


SENT_ATOMICS = """
extern "C" __global__ void sent_atomics(unsigned* data, unsigned* when, int count, int lanes, int words, int apart)
{
    __shared__ unsigned marks[8 * 512];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane < lanes) {
#pragma unroll 1
        for (int i = 0; i < count; ++i) {
            asm volatile("red.global.add.u32 [%0], 1;" ::"l"(data + lane % words * apart) : "memory");
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
@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize(
    ("lanes", "words", "apart"),
    [(1, 1, 1), (2, 1, 1), (4, 1, 1), (2, 2, 8), (4, 4, 1), (8, 8, 1), (16, 16, 1), (32, 32, 1)],
)
def test_an_sm_waits_when_as_many_atomics_are_on_their_way_as_on_a_gpu(
    gpu: str, warps: int, lanes: int, words: int, apart: int
) -> None:
    """micro/l2/sent_atomics: until then they are issued at the pace of the loop."""
    aim = {"type": "u32", "own": 0, "lanes": lanes, "words": words, "apart": apart, "warps": warps}
    rows = table(gpu, "sent_atomics", **aim)
    sent, cycles = (np.array([int(row[column]) for row in rows]) for column in ("sent", "cycles"))
    first_late = sent[cycles > 1.15 * sent * cycles[3] / sent[3]].min()

    def waiting(count: int) -> float:
        stalls = simulate(
            cubin=compile_cuda(SENT_ATOMICS, gpu),
            grid=132,
            block=32 * warps,
            arguments=[
                np.zeros(64, np.uint32),
                np.zeros(132 * 512, np.uint32),
                *(np.int32(value) for value in (count, lanes, words, apart)),
            ],
            gpu=gpu,
        ).stalls
        return sum(stalls[reason] for reason in WAITS) / sum(stalls.values())

    assert waiting(int(0.75 * first_late)) < 0.25
    assert waiting(int(1.6 * first_late)) > 0.5


BEHIND_ATOMICS = """
extern "C" __global__ void behind_atomics(unsigned* word, const unsigned* lines, unsigned* out, int additions)
{
    __shared__ unsigned shared[32];
    shared[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0)
#pragma unroll 1
        for (int i = 0; i < additions; ++i) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(word) : "memory");
    __syncwarp();
    unsigned x;
    if (READ == 0) x = *(volatile unsigned*)(shared + 5);
    else asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(lines + blockIdx.x * 32) : "memory");
    if (x == 12345) *out = 1;
}
"""


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("additions", [0, 64, 192, 256, 320])
@pytest.mark.parametrize("read", ["shared", "l2"])
def test_loads_from_l2_wait_behind_atomics_and_shared_memory_does_not(
    gpu: str, additions: int, read: str
) -> None:
    """micro/l2/behind_atomics: shared memory waits only when atomics fill the queue before the tag stage, too."""
    (row,) = table(gpu, "behind_atomics", read=read, additions=additions)
    found = profile(
        cubin=compile_cuda(BEHIND_ATOMICS, gpu, {"READ": 0 if read == "shared" else 1}),
        grid=132,
        block=32,
        arguments=[
            np.zeros(32, np.uint32),
            np.zeros(132 * 32, np.uint32),
            np.zeros(1, np.uint32),
            np.int32(additions),
        ],
        gpu=gpu,
    )
    reason = "short_scoreboard" if read == "shared" else "long_scoreboard"
    waits = max(part.stalls.get(reason, 0) for part in found.instructions)
    assert waits == pytest.approx(int(row["median"]), rel=0.2, abs=60)


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
