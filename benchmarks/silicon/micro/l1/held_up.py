"""What stores and loads that wait on their way to memory hold up. Runs on the GPU, with CuPy.

    python held_up.py OUTPUT.csv

One of two warps of each scheduler stores or loads all the time (`stream`), the other does one thing after the other
(`chain`), eight in a row, in 1,056 blocks of 256 threads. Columns: `median`, `first_tenth` and `most` are cycles for
one of the chain, over all warps that do it.
"""

import csv
import sys
from collections.abc import Iterator

import cupy
import numpy as np

BLOCKS, THREADS, ROUNDS, IN_A_ROW = 1056, 256, 16, 8

STREAMS = {  # name: the code of a round, and how many
    "nothing": ("", 0),
    "lines stored": ("STORE(data + (r % 2 * all + own) * 256 + k * 32 + lane, 1.0f)", 1500),
    "128 bits a lane stored": (
        "STORE((float4*)data + (r % 3 * all + own) * 256 + k * 32 + lane, make_float4(1, 1, 1, 1))",
        400,
    ),
    "32 lines stored": (
        "STORE(data + (r % 12 * all + own) * 256 + k * 7919 % 64 * 256 + lane * 8, 1.0f)",
        600,
    ),
    "lines added to": ("atomicAdd(data + (r % 12 * all + own) * 32 + lane, 1.0f)", 250),
    "lines loaded from DRAM": ("LOAD(data + (r % 30 * all + own) * 512 + k * 32 + lane)", 300),
    "loads of lines on their way": (
        "LOAD(data + (r % 6 * all + own) * 512 + k % 4 * 32 + (lane ^ k / 4))",
        400,
    ),
}
CHAINS = {
    "SHFL": "x = __shfl_xor_sync(~0u, x, 1)",
    "LDS": "x = *(volatile int*)&words[x]",
    "STS": "*(volatile int*)&words[lane] = x",
    "MUFU": 'asm volatile("ex2.approx.f32 %0, %0;" : "+r"(x))',
    "REDUX": "x = __reduce_xor_sync(~0u, x + lane) & 31",
    "LDC": "x = table[x & 63]",
    "LDG": 'asm volatile("ld.global.ca.b32 %0, [%1];" : "=r"(x) : "l"((const int*)out + 64 + (x & 31)))',
}
LOADS = 16

SOURCE = r"""
__device__ unsigned cycles() {
    unsigned cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles) :: "memory");
    return cycles;
}

#define STORE(at, value) *(at) = value; asm volatile("" ::: "memory")
#define LOAD(at) asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v[k]) : "l"(at))
__constant__ int table[64];

extern "C" __global__ void __launch_bounds__(256)
held_up(float* data, unsigned* taken, float* out, int rounds, int chains) {
    __shared__ int words[64];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x < 64) words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (warp < 4) {
        __nanosleep(20000);
        int x = lane;
        const unsigned begin = cycles();
#pragma unroll 1
        for (int r = 0; r < chains; ++r)
#pragma unroll
            for (int k = 0; k < 8; ++k) { CHAIN; }
        const unsigned end = cycles();
        if (lane == 0) taken[blockIdx.x * 4 + warp] = end - begin;
        if (x == -12345) out[1] = x;
        return;
    }
    const size_t own = (size_t)blockIdx.x * 4 + warp - 4, all = (size_t)gridDim.x * 4;
    float sum = 0.0f, v[LOADS];
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int k = 0; k < EACH; ++k) { STREAM; }
        if (LOADS > 1)
#pragma unroll
            for (int k = 0; k < EACH; ++k) sum += v[k];
    }
    if (sum == 12345.0f) out[0] = sum;
}
"""


def measured() -> Iterator[tuple[str, str, float, float, float]]:
    """Each stream beside each chain."""
    data = cupy.zeros(30 * BLOCKS * 4 * 512, cupy.float32)
    out = cupy.zeros(4096, cupy.float32)
    taken = cupy.zeros(BLOCKS * 4, cupy.uint32)
    for stream, (code, rounds) in STREAMS.items():
        loads = LOADS if code.startswith("LOAD") else 1
        for chain, link in CHAINS.items():
            source = SOURCE.replace("CHAIN;", f"{link};").replace("STREAM;", f"{code};")
            kernel = cupy.RawKernel(
                source.replace("LOADS", str(loads)).replace("EACH", str(max(loads, 8))), "held_up"
            )
            kernel((BLOCKS,), (THREADS,), (data, taken, out, np.int32(rounds), np.int32(ROUNDS)))
            each = taken.get() / (ROUNDS * IN_A_ROW)
            yield stream, chain, float(np.median(each)), float(np.percentile(each, 10)), float(each.max())


def main() -> None:
    """Measure everything into a file."""
    with open(sys.argv[1], "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["stream", "chain", "median", "first_tenth", "most"])
        for stream, chain, *figures in measured():
            writer.writerow([stream, chain, *(f"{figure:.1f}" for figure in figures)])
            print(stream, chain, *(f"{figure:.1f}" for figure in figures), flush=True)


if __name__ == "__main__":
    main()
