"""What one SM expects of the others, which blocks it gets, and how long kernels go on."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore import Buffer, compile_cuda, load_gpu, simulate
from simcore.model.launch import Launch
from simcore.model.sharing import (
    atomic_places,
    contention,
    l2_hit_share,
    l2_write_back_share,
    left_in_l2,
    table_cost,
)
from simcore.model.steady_state import MAX_INSTRUCTIONS, MIN_WAVES, blocks_to_time, extrapolate
from simcore.session.request import LaunchRequest
from simcore.session.session import prepare
from testing.silicon_data import point_of

GPU = load_gpu("h200")
MICRO = Path(__file__).parents[3] / "benchmarks" / "silicon" / "micro" / "l2"


@given(st.floats(0, 4), st.floats(0, 4))
def test_a_larger_footprint_never_hits_more(small: float, more: float) -> None:
    sizes = small * GPU.l2_bytes, (small + more) * GPU.l2_bytes
    assert 1 >= l2_hit_share(GPU, sizes[0]) >= l2_hit_share(GPU, sizes[1]) >= 0
    assert 0 <= l2_write_back_share(GPU, sizes[0], 0) <= l2_write_back_share(GPU, sizes[1], 0) <= 1
    assert 0 <= l2_write_back_share(GPU, 0, sizes[0]) <= l2_write_back_share(GPU, 0, sizes[1]) <= 1


OF_BOTH = [("read", 1, 0), ("copy", 0.5, 0.5), ("update", 1, 1), ("combine", 1, 0.5)]
OF_THE_H200 = [("thirds", 2 / 3, 1 / 3), ("eighths", 7 / 8, 1 / 8)]


@pytest.mark.parametrize(
    ("gpu", "mode", "read", "written"),
    [(gpu, *mode) for gpu in ("h200", "h100-sxm") for mode in OF_BOTH]
    + [("h200", *mode) for mode in OF_THE_H200],
)
def test_what_launches_leave_in_l2_is_near_what_was_measured(
    gpu: str, mode: str, read: float, written: float
) -> None:
    """Within 0.2 of the share that comes from DRAM or goes there, but for the steep part in between; by the same SMs
    each time, by others, and with blocks of many waves."""
    profile = load_gpu(gpu)
    with (MICRO / f"residency.{gpu}.csv").open() as lines:
        rows = [r for r in csv.DictReader(line for line in lines if line[0] != "#") if r["mode"] == mode]
    assert len(rows) == 54
    near = 0
    for row in rows:
        mib, moves = float(row["mib"]), row["turn"] != "0"
        size = mib * 2**20
        missed = 1 - left_in_l2(profile, moves, size, written * size)
        left = l2_write_back_share(profile, size * (profile.l2_moved_share if moves else 1), size * written)
        near += abs(float(row["dram_read"]) / (mib * read) - missed) < 0.2
        near += not written or abs(float(row["dram_write"]) / (mib * written) - left) < 0.2
    assert near >= 0.85 * 2 * len(rows)


@given(st.integers(1, 132), st.integers(1, 10_000), st.integers(0, 10_000))
def test_atomics_crowd_less_on_more_places(sms: int, places: int, more: int) -> None:
    """But for more than four in a row, of which two share a slice: five wait longer than four."""
    fewer, further = contention(GPU, sms, places, 1), contention(GPU, sms, places + more, 1)
    share = 2 if places <= 4 < places + more else 1
    assert sms >= fewer
    assert share * fewer >= 0.999 * further >= 0.999


def test_of_three_and_four_places_in_a_row_two_share_a_slice_every_other_time() -> None:
    """As a table of as many times 256 bytes begins at a multiple of a KiB, or 512 bytes behind one."""
    busiest = [contention(GPU, 132, places, 1) * places / 132 for places in (1, 2, 3, 4, 5)]
    assert busiest == pytest.approx([1, 1, 4 / 3, 4 / 3, 2])
    shape = {"block_size": 128, "blocks": 528, "rounds": 4, "rotated": 0, "single": 0}
    begins, words = (0, 512), (64, 128, 192, 256)
    points = [
        [point_of("merged_tables", "merged_tables", bins=n, offset=b, **shape) for n in words] for b in begins
    ]
    aligned, behind = ([point.time_us for point in row] for row in points)
    assert behind == pytest.approx([behind[0]] * 4, rel=0.02)
    assert aligned[2:] == pytest.approx([1.9 * aligned[0]] * 2, rel=0.05)


@given(st.floats(1, 2**22), st.floats(0, 2**22))
def test_requests_for_words_of_a_table_cost_less_the_larger_it_is(size: float, more: float) -> None:
    small, large = table_cost(GPU, np.array([size, size + more]))
    assert 1.001 * GPU.l2_table_costs[0] >= small >= large >= 1.0
    assert large == 1.0 or size + more < 2**20


@given(st.lists(st.integers(1, 1_000_000), min_size=1, max_size=400), st.integers(1, 32))
def test_enough_blocks_are_timed_from_the_first_to_the_last(instructions: list[int], slots: int) -> None:
    timed = blocks_to_time(np.array(instructions), slots)
    count = len(instructions)
    assert timed.tolist() == sorted(set(timed.tolist()))
    assert (timed[0], timed[-1]) == (0, count - 1)
    if sum(instructions) <= MAX_INSTRUCTIONS:
        assert len(timed) == count
    for window in np.split(timed, np.flatnonzero(np.diff(timed) > 1) + 1):
        assert len(window) >= min(MIN_WAVES * slots, count)
    assert sum(instructions[i] for i in timed) >= min(sum(instructions), MAX_INSTRUCTIONS) - 4 * max(
        instructions
    )


@given(st.integers(1, 32), st.integers(4, 20), st.integers(1, 1000), st.integers(1, 5000))
def test_an_even_pace_is_continued_exactly(slots: int, waves: int, more: int, pace: int) -> None:
    window = slots * waves
    blocks = np.arange(3 * window + 2 * more)
    timed = np.concatenate([blocks[:window], blocks[window + more :][:window], blocks[-window:]])
    retired = np.arange(1, len(timed) + 1) * pace
    beyond = extrapolate(retired, timed, np.full(len(blocks), 100), slots, int(retired[-1]))
    assert beyond.cycles == pytest.approx(2 * more * pace, abs=1)
    assert beyond.error == pytest.approx(0, abs=1e-9)
    assert beyond.timed_share == pytest.approx(len(timed) / len(blocks))


SUM = """extern "C" __global__ void k(const float* x, float* y) {
    float v = x[blockIdx.x * blockDim.x + threadIdx.x];
    for (int i = 0; i < 1200; ++i) v = v * 0.5f + 1.0f;
    y[blockIdx.x * blockDim.x + threadIdx.x] = v; }"""


def test_a_long_kernel_is_timed_in_part_and_says_so() -> None:
    blocks = 132 * 1200
    arguments = [Buffer("float32", blocks * 128), Buffer("float32", blocks * 128)]
    launch: dict[str, Any] = {
        "cubin": compile_cuda(SUM, GPU),
        "grid": blocks,
        "block": 128,
        "arguments": arguments,
        "gpu": GPU,
    }
    part, whole = simulate(**launch), simulate(**launch, exact=True)
    assert part.timed_share < 1 == whole.timed_share
    assert whole.time_error == 0
    assert part.time_us == pytest.approx(whole.time_us, rel=max(3 * part.time_error, 0.01))
    assert part.warp_instructions == whole.warp_instructions


PHASES = """extern "C" __global__ void k(const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    float v = x[i];
    if (blockIdx.x < gridDim.x * FIRST / 100) for (int k = 0; k < 1500; ++k) v = v * 0.5f + 1.0f;
    else for (int k = 1; k < 16; ++k) v += x[(i + (long long)k * 98317) % n];
    y[i] = v; }"""


@pytest.mark.parametrize("first", [20, 50, 80])
def test_phases_of_a_long_kernel_are_seen(first: int) -> None:
    """The first blocks compute, the others load: what the first waves show is not what the others do."""
    blocks = 132 * 900
    launch: dict[str, Any] = {
        "cubin": compile_cuda(PHASES, GPU, defines={"FIRST": first}),
        "grid": blocks,
        "block": 256,
        "arguments": [Buffer("float32", blocks * 256), Buffer("float32", blocks * 256)],
        "gpu": GPU,
    }
    part, whole = simulate(**launch), simulate(**launch, exact=True)
    assert part.timed_share < 0.9
    assert part.time_us == pytest.approx(whole.time_us, rel=max(part.time_error, 0.05))


UNEVEN = """extern "C" __global__ void k(float* y) {
    float v = threadIdx.x;
    int steps = blockIdx.x == 77 ? 20000 : 20;
    for (int i = 0; i < steps; ++i) v = v * 0.5f + 1.0f;
    y[blockIdx.x * blockDim.x + threadIdx.x] = v; }"""


def test_the_sm_that_ends_last_decides() -> None:
    result = simulate(
        cubin=compile_cuda(UNEVEN, GPU), grid=264, block=64, arguments=[Buffer("float32", 264 * 64)], gpu=GPU
    )
    assert result.cycles > 20000 * 4


STREAM = """extern "C" __global__ void k(const float4* x, float4* y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i]; }"""


@pytest.mark.parametrize("blocks", [132, 160, 220])
def test_that_one_sm_has_more_blocks_makes_no_line_shared(blocks: int) -> None:
    """Each line of buffers far larger than L2 is read, or written, by one SM: DRAM moves all of them once."""
    gpu, vectors = load_gpu("a100-80gb"), 1 << 22
    result = simulate(
        cubin=compile_cuda(STREAM, gpu),
        grid=blocks,
        block=512,
        arguments=[Buffer("float32", 4 * vectors), Buffer("float32", 4 * vectors), np.int32(vectors)],
        gpu=gpu,
    )
    assert result.dram_bytes == pytest.approx(2 * 16 * vectors, rel=0.01)


ROWS = """extern "C" __global__ void k(const int* rows, const float4* table, float4* y) {
    y[blockIdx.x * 256 + threadIdx.x] = table[(long long)rows[blockIdx.x] * 256 + threadIdx.x]; }"""


@pytest.mark.parametrize(("again", "least", "most"), [(False, 0.96, 1.0), (True, 0.58, 0.72)])
def test_rows_drawn_at_random_come_from_dram_once(again: bool, least: float, most: float) -> None:
    """Of n rows drawn from n, 63 % are others; L2 holds none of a launch before, but most of what was just read."""
    count = 16384
    draw = np.random.default_rng(1)
    rows = draw.integers(0, count, count) if again else draw.permutation(count)
    result = simulate(
        cubin=compile_cuda(ROWS, GPU),
        grid=count,
        block=256,
        arguments=[rows.astype(np.int32), Buffer("float32", 1024 * count), Buffer("float32", 1024 * count)],
        gpu=GPU,
    )
    written = 4096.0 * count
    assert least * written <= result.dram_bytes - written <= most * written * 1.01


def counters(places: int) -> Launch:
    source = 'extern "C" __global__ void k(int* counters) { atomicAdd(counters + threadIdx.x, 1); }'
    size = places * GPU.l2_slice_bytes // 4
    request = LaunchRequest(
        cubin=compile_cuda(source, GPU), grid=1, block=32, arguments=[Buffer("int32", size)], gpu=GPU
    )
    return prepare(request).launch


@given(st.integers(1, 200), st.integers(1, 200), st.integers(0, 200), st.integers(1, 132))
def test_places_of_all_atomics_lie_between_those_of_one_sm_and_the_buffer(
    own: int, others: int, apart: int, sms: int
) -> None:
    launch = counters(400)
    per_line = GPU.l2_slice_bytes // GPU.line_bytes
    first = int(launch.addresses[0][0]) // GPU.line_bytes
    (found,) = atomic_places(
        GPU,
        launch,
        sms,
        first + np.arange(own) * per_line,
        first + (np.arange(others) + apart) * per_line,
    )
    assert own - 1e-6 <= found <= min(400, own * sms) + 1e-6


def test_places_of_all_atomics_are_those_of_one_sm_if_others_have_the_same() -> None:
    launch = counters(400)
    lines = int(launch.addresses[0][0]) // GPU.line_bytes + np.arange(40)
    places = len(np.unique(lines * GPU.line_bytes // GPU.l2_slice_bytes))
    assert atomic_places(GPU, launch, 132, lines, lines) == pytest.approx([places])
