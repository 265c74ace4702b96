"""To which sub-partition each block's first warp goes, and what that costs blocks of which one warp works (with CuPy).

    python warp_slots.py > warp_slots.csv

Two waves of blocks of 1 to 16 warps last a time drawn for each, so that the second wave takes the places of blocks that
end in any order. Columns: warps of a block; its number among those of SM 0, by when they begin; the block; and the warp
slots (%warpid) of its warps, of which each fourth is of one sub-partition. Behind them, microseconds of blocks of which
only the first warp works: "chain", warps of a block, blocks of an SM, time.
"""

import cupy

SMS, SLOTS, MOST_BLOCKS = 132, 64, 32

SOURCE = r"""
extern "C" __global__ void slots(unsigned* out, int cycles) {
    unsigned slot, sm;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    const long long began = clock64(), until = began + cycles + blockIdx.x * 7919u % 16 * 500;
    if (threadIdx.x < 32) while (clock64() < until) {}
    __syncthreads();
    if (threadIdx.x % 32) return;
    unsigned* mine = out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 3;
    mine[0] = sm, mine[1] = slot, mine[2] = (unsigned)began;
}

extern "C" __global__ void chain(float* out, int rounds) {
    float x = threadIdx.x;
    if (threadIdx.x < 32)
        for (int i = 0; i < rounds; ++i)
#pragma unroll
            for (int k = 0; k < 8; ++k) x = x * 1.0001f + 0.5f;
    __syncthreads();
    if (x == 12345.0f) out[0] = x;
}
"""


def main() -> None:
    """Print both tables."""
    module = cupy.RawModule(code=SOURCE)
    for warps in (1, 2, 3, 4, 5, 6, 8, 12, 16):
        blocks = SMS * min(SLOTS // warps, MOST_BLOCKS) * 2
        out = cupy.zeros((blocks, warps, 3), cupy.uint32)
        module.get_function("slots")((blocks,), (32 * warps,), (out, cupy.int32(30000)))
        found = out.get()
        own = sorted((b for b in range(blocks) if found[b, 0, 0] == 0), key=lambda b: int(found[b, 0, 2]))
        for order, block in enumerate(own):
            print(warps, order, block, " ".join(map(str, found[block, :, 1])), sep=",")
    sink = cupy.zeros(1, cupy.float32)
    for warps in (1, 2, 3, 4, 5, 6, 8, 16):
        blocks = min(SLOTS // warps, MOST_BLOCKS)
        times = []
        for _ in range(12):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            module.get_function("chain")((SMS * blocks,), (32 * warps,), (sink, cupy.int32(400)))
            end.record()
            end.synchronize()
            times.append(cupy.cuda.get_elapsed_time(begin, end) * 1e3)
        print("chain", warps, blocks, f"{min(times):.1f}", sep=",")


if __name__ == "__main__":
    main()
