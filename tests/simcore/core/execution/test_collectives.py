"""Operations across the lanes of a warp, of all of them or of parts, on every architecture, against numpy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simcore import compile_cuda, execute, simulate

GPUS = pytest.mark.parametrize("gpu", ["a100-80gb", "rtx3090", "h200", "b200", "rtx5090"])
KERNEL = 'extern "C" __global__ void k(const int* x, unsigned* out, int n)'
THREADS = 64
random = np.random.default_rng(5)
Array = NDArray[Any]
Mates = Callable[[int], list[int]]


def outputs(body: str, x: Array, count: int, gpu: str, includes: str = "") -> Array:
    """What a kernel of one block puts out: `count` words for each thread."""
    out = np.zeros((count, len(x)), np.uint32)
    cubin = compile_cuda(f"{includes}\n{KERNEL} {{ int i = threadIdx.x, v = x[i]; {body} }}", gpu)
    execute(cubin=cubin, grid=1, block=len(x), arguments=[x, out, np.int32(len(x))], gpu=gpu)
    return out


def check(out: Array, expected: Callable[[int], list[int]]) -> None:
    """Compare what each thread puts out."""
    wanted = np.array([expected(i) for i in range(out.shape[1])], np.int64).T
    np.testing.assert_array_equal(out, wanted.astype(np.uint32))


def bits(x: Array, mates: list[int], condition: Callable[[int], bool], first: int = 0) -> int:
    """The lanes among some for which a condition holds."""
    return sum(1 << (j - first) % 32 for j in mates if condition(int(x[j])))


MASKS = {  # CUDA's mask of a thread's lanes, and the threads that it names
    "halves": ("0xffffu << (i & 16)", lambda i: [j for j in range(THREADS) if j // 16 == i // 16]),
    "quarters": ("0xffu << (i & 24)", lambda i: [j for j in range(THREADS) if j // 8 == i // 8]),
    "fours": ("0xfu << (i & 28)", lambda i: [j for j in range(THREADS) if j // 4 == i // 4]),
    "alternating": (
        "i & 1 ? 0xaaaaaaaau : 0x55555555u",
        lambda i: [j for j in range(THREADS) if j // 32 == i // 32 and j % 2 == i % 2],
    ),
}


@GPUS
@pytest.mark.parametrize("name", MASKS)
def test_collectives_of_a_part_of_the_warp(name: str, gpu: str) -> None:
    mask, mates = MASKS[name]
    x = random.integers(0, 8, THREADS).astype(np.int32)
    body = f"""unsigned m = {mask}; int all;
    out[i] = __ballot_sync(m, v & 1);
    out[n + i] = __any_sync(m, v == 3);
    out[2 * n + i] = __all_sync(m, v < 7);
    out[3 * n + i] = __reduce_add_sync(m, v);
    out[4 * n + i] = __reduce_max_sync(m, v);
    out[5 * n + i] = __reduce_xor_sync(m, (unsigned)v);
    out[6 * n + i] = __match_any_sync(m, v);
    out[7 * n + i] = __match_all_sync(m, v & 8, &all) + all;
    __syncwarp(m);
    out[8 * n + i] = __shfl_sync(m, v, i ^ 2);"""

    def expected(i: int) -> list[int]:
        those = mates(i)
        values = [int(x[j]) for j in those]
        return [
            bits(x, those, lambda v: bool(v & 1)),
            any(v == 3 for v in values),
            all(v < 7 for v in values),
            sum(values),
            max(values),
            int(np.bitwise_xor.reduce(values)),
            bits(x, those, lambda v: v == x[i]),
            bits(x, those, lambda v: True) + 1,
            int(x[i ^ 2]),
        ]

    check(outputs(body, x, 9, gpu), expected)


@GPUS
@pytest.mark.parametrize("size", [16, 8, 4])
def test_tiles_of_cooperative_groups(size: int, gpu: str) -> None:
    includes = """#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;"""
    x = random.integers(0, 8, THREADS).astype(np.int32)
    body = f"""auto tile = cg::tiled_partition<{size}>(cg::this_thread_block());
    out[i] = tile.ballot(v & 1);
    out[n + i] = tile.any(v == 3);
    out[2 * n + i] = tile.all(v < 7);
    out[3 * n + i] = cg::reduce(tile, v, cg::plus<int>());
    out[4 * n + i] = cg::reduce(tile, v, cg::greater<int>());
    out[5 * n + i] = tile.shfl_down(v, 1);
    if (v & 1) {{
        auto odd = cg::coalesced_threads();
        out[6 * n + i] = cg::reduce(odd, v, cg::plus<int>()) + odd.thread_rank();
    }}"""

    def expected(i: int) -> list[int]:
        tile = [j for j in range(THREADS) if j // size == i // size]
        odd = [j for j in range(THREADS) if j // 32 == i // 32 and x[j] & 1]
        values = [int(x[j]) for j in tile]
        return [
            bits(x, tile, lambda v: bool(v & 1), tile[0]),
            any(v == 3 for v in values),
            all(v < 7 for v in values),
            sum(values),
            max(values),
            int(x[i] if i == tile[-1] else x[i + 1]),
            sum(int(x[j]) for j in odd) + odd.index(i) if x[i] & 1 else 0,
        ]

    check(outputs(body, x, 7, gpu, includes), expected)


@GPUS
def test_lanes_that_come_from_different_places_meet(gpu: str) -> None:
    x = random.integers(0, 8, THREADS).astype(np.int32)
    body = """unsigned r;
    if (v & 1) r = __reduce_add_sync(0xffffffffu, v * 3);
    else if (v & 2) r = __reduce_add_sync(0xffffffffu, v + 100);
    else r = __reduce_add_sync(0xffffffffu, v);
    out[i] = r;"""

    def expected(i: int) -> list[int]:
        warp = x[i // 32 * 32 : i // 32 * 32 + 32]
        return [int(np.where(warp & 1, warp * 3, np.where(warp & 2, warp + 100, warp)).sum())]

    check(outputs(body, x, 1, gpu), expected)


@GPUS
def test_one_lane_is_elected(gpu: str) -> None:
    if gpu in ("a100-80gb", "rtx3090"):
        pytest.skip("elect.sync needs sm_90")
    body = """unsigned leader, mine;
    asm volatile("{.reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %1, 1, 0, p;}" : "=r"(leader), "=r"(mine));
    out[i] = leader; out[n + i] = mine;"""
    out = outputs(body, np.zeros(THREADS, np.int32), 2, gpu)
    assert len(set(out[0])) == 1
    assert list(np.flatnonzero(out[1])) == [out[0, 0], 32 + out[0, 0]]


@GPUS
def test_each_warp_of_a_block_has_its_number(gpu: str) -> None:
    body = 'asm volatile("mov.u32 %0, %%warpid;" : "=r"(v)); out[i] = v;'
    check(outputs(body, np.zeros(THREADS, np.int32), 1, gpu), lambda i: [i // 32])


@GPUS
def test_groups_take_their_turns(gpu: str) -> None:
    """Eight groups of four lanes take longer than one group of all."""
    x, out = np.zeros(32, np.int32), np.zeros(32, np.uint32)

    def cycles(mask: str) -> int:
        source = f"{KERNEL} {{ int i = threadIdx.x; unsigned m = {mask}, s = x[i]; "
        source += "for (int j = 0; j < n; ++j) s += __reduce_add_sync(m, s + j); out[i] = s; }"
        cubin = compile_cuda(source, gpu)
        return simulate(cubin=cubin, grid=1, block=32, arguments=[x, out, np.int32(20)], gpu=gpu).cycles

    assert cycles("0xfu << (i & 28)") > 2 * cycles("0xffffffffu")
