"""Instruction fetch and constants: code that fits its caches, code that does not, and what a launch begins with."""

from functools import cache

import numpy as np
import pytest

from simcore import Buffer, Gpu, SimulationResult, compile_cuda, load_gpu, simulate
from testing.silicon_data import measured, point_of

LINE = """extern "C" __global__ void line(float* out, float a, float b, int repeats) {
    float w = threadIdx.x, x = w + 1, y = w + 2, z = w + 3;
#pragma unroll 1
    for (int r = 0; r < repeats; ++r) {
#pragma unroll
        for (int k = 0; k < LENGTH / 4; ++k) {
            w = w * a + b; x = x * a + b; y = y * a + b; z = z * a + b;
        }
    }
    out[threadIdx.x] = w + x + y + z;
}"""
TABLE = """__constant__ float table[4096];
extern "C" __global__ void touch(float* out) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < TOUCHES; ++k) sum += table[k * STRIDE / 4];
    out[threadIdx.x] = sum;
}"""
INSTRUCTIONS = 16384


@cache
def line(length: int, gpu: Gpu, cold: bool = False, block: int = 32) -> SimulationResult:
    """`INSTRUCTIONS` FMAs of each warp in loops over code of `length` of them, 16 bytes each."""
    return simulate(
        cubin=compile_cuda(LINE, "h200", {"LENGTH": length}),
        grid=1,
        block=block,
        arguments=[Buffer("float32", block), np.float32(1), np.float32(0), np.int32(INSTRUCTIONS // length)],
        gpu=gpu,
        cold=cold,
    )


def fetch_stalls(result: SimulationResult) -> float:
    """Warp-cycles for which instructions were awaited."""
    return result.stalls["no_instruction"] * result.warp_instructions


def test_a_loop_that_fits_waits_for_no_instructions() -> None:
    result = line(512, load_gpu("h200"))
    jumps = INSTRUCTIONS // 512 - 1
    assert fetch_stalls(result) <= 20 * jumps
    assert result.cycles < 1.1 * INSTRUCTIONS


def test_each_cache_that_code_exceeds_makes_it_slower() -> None:
    gpu = load_gpu("h200")
    cycles = [line(length, gpu).cycles for length in (512, 4096, 16384 - 4096)]
    assert 1.5 * cycles[0] < cycles[1]
    assert 1.5 * cycles[1] < cycles[2]


def test_a_larger_cache_holds_the_loop_again() -> None:
    small, large = load_gpu("h200"), load_gpu("h200", l1_instruction_bytes=131072)
    assert line(4096, large).cycles < 0.7 * line(4096, small).cycles


def test_warps_of_one_line_of_code_share_what_is_fetched() -> None:
    gpu = load_gpu("h200")
    assert line(4096, gpu, block=128).cycles < 1.2 * line(4096, gpu).cycles


def test_a_cold_launch_waits_for_its_first_instructions() -> None:
    gpu = load_gpu("h200")
    warm, cold = line(512, gpu), line(512, gpu, cold=True)
    lines = 512 // 8
    assert fetch_stalls(cold) - fetch_stalls(warm) > lines * 30
    assert cold.cycles > warm.cycles


@pytest.mark.parametrize(
    ("length", "tolerance"), [(512, 0.10), (1536, 0.06), (4096, 0.06), (7168, 0.06), (9216, 0.12)]
)
@pytest.mark.parametrize("block_size", [32, 128])
def test_straight_line_code_takes_the_measured_time(length: int, block_size: int, tolerance: float) -> None:
    wanted = {"length": length, "block_size": block_size}
    (point,) = [p for p in measured("micro") if p.space == "code_size" and p.record["parameters"] == wanted]
    assert simulate(**point.launch()).time_us == pytest.approx(point.time_us, rel=tolerance)


@pytest.mark.parametrize(
    ("length", "tolerance"),
    [(1024, 0.03), (2048, 0.06), (4096, 0.13)],  # what the L1 holds, just holds, and does not
)
@pytest.mark.parametrize("block_size", [384, 512, 1024])
def test_many_warps_in_code_that_the_l0_does_not_hold(length: int, block_size: int, tolerance: float) -> None:
    point = point_of("warps_apart_and_drifting", "drifting_warps", length=length, block_size=block_size)
    assert simulate(**point.launch()).time_us == pytest.approx(point.time_us, rel=tolerance)


def test_of_four_warps_in_code_beyond_the_l1_each_fetches_its_own() -> None:
    """Together they would fetch at the pace of one: 92 us, or 136 for want of issue slots; an H200 takes 258."""
    point = point_of("families", "straight_line", length=4096, block_size=512)
    result = simulate(**point.launch())
    assert result.time_us == pytest.approx(point.time_us, rel=0.25)
    assert result.bottleneck == "no_instruction"


@pytest.mark.parametrize("length", [1024, 1792])
def test_sub_partitions_apart_in_code_of_the_l1_do_not_wait_for_it(length: int) -> None:
    shape = {"length": length, "block_size": 128, "blocks": 132}
    for delay in (0, 1500):
        point = point_of("warps_apart_and_drifting", "warps_apart", delay=delay, **shape)
        assert simulate(**point.launch()).time_us == pytest.approx(point.time_us, rel=0.06)


def touch(touches: int, stride: int) -> SimulationResult:
    """One warp that reads constants at fixed addresses."""
    cubin = compile_cuda(TABLE, "h200", {"TOUCHES": touches, "STRIDE": stride})
    return simulate(cubin=cubin, grid=1, block=32, arguments=[Buffer("float32", 32)], gpu="h200")


def constant_stalls(touches: int, stride: int) -> float:
    result = touch(touches, stride)
    return result.stalls["imc_miss"] * result.warp_instructions


def test_the_first_use_of_the_parameters_misses() -> None:
    gpu = load_gpu("h200")
    result = line(512, gpu)
    assert result.stalls["imc_miss"] * result.warp_instructions == pytest.approx(gpu.immediate_miss_latency)


def test_each_line_of_constants_misses_once() -> None:
    gpu = load_gpu("h200")
    one, same, next_line, next_chunk = (
        constant_stalls(*shape) for shape in ((1, 64), (2, 32), (2, 64), (2, 256))
    )
    assert same == one
    assert next_line - one == pytest.approx(gpu.immediate_miss_latency)
    assert next_chunk - one == pytest.approx(gpu.immediate_miss_latency + gpu.constant_l2_latency)


def test_architectures_that_do_not_report_constant_misses_call_them_misc() -> None:
    cubin = compile_cuda(TABLE, "b200", {"TOUCHES": 2, "STRIDE": 64})
    result = simulate(cubin=cubin, grid=1, block=32, arguments=[Buffer("float32", 32)], gpu="b200")
    assert result.stalls["imc_miss"] == 0
