// All warps add to one word of each sector of VECTORS vectors of STRETCHES times 256 bytes, which begin OFFSET times 1 KiB into
// buffers of their own: a warp to those of 1 KiB at a time, of one vector after the other, and each begins elsewhere.
#if REAL
using Word = float;
#define ADD "red.global.add.f32 [%0], %1;" ::"l"(to), "f"(1.0f)
#else
using Word = unsigned;
#define ADD "red.global.add.u32 [%0], %1;" ::"l"(to), "r"(1)
#endif

extern "C" __global__ void __launch_bounds__(256) vector_atomics(Word* __restrict__ first, Word* __restrict__ second, int steps) {
    constexpr int parts = STRETCHES / 4;
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned part = warp * 5 % parts;
    for (int s = 0; s < steps; ++s) {
        Word* to = (VECTORS == 2 && s % 2 ? second : first) + OFFSET * 256 + part * 256 + lane * 8;
        asm volatile(ADD : "memory");
        if (VECTORS == 1 || s % 2) part = part + 1 == parts ? 0 : part + 1;
    }
}
