// 6,144 rows of 4,096 weights, 16 in a word; code c stands for c - 1. Byte activations are in the order in which a
// word's codes come out, four a shift; their sum corrects for the one that codes are too large.
constexpr int WORDS = 256, STEPS = WORDS / 32, U = UNROLL;

extern "C" __global__ void __launch_bounds__(128)
ternary_gemv(const unsigned* __restrict__ weights, const float* __restrict__ x, const int* __restrict__ xq,
             float* __restrict__ y)
{
    const int lane = threadIdx.x % 32, row = (blockIdx.x * 4 + threadIdx.x / 32) * ROWS_WARP;
    const unsigned* mine = weights + (size_t)row * WORDS + lane;
#if BYTES
    int sums[ROWS_WARP] = {}, all = 0;
#pragma unroll U
    for (int s = 0; s < STEPS; ++s) {
        const int4 a = reinterpret_cast<const int4*>(xq)[s * 32 + lane];
        all = __dp4a(a.x, 0x01010101, __dp4a(a.y, 0x01010101, __dp4a(a.z, 0x01010101, __dp4a(a.w, 0x01010101, all))));
#pragma unroll
        for (int r = 0; r < ROWS_WARP; ++r) {
            const unsigned w = mine[r * WORDS + s * 32];
            sums[r] = __dp4a((int)(w & 0x03030303), a.x, sums[r]);
            sums[r] = __dp4a((int)(w >> 2 & 0x03030303), a.y, sums[r]);
            sums[r] = __dp4a((int)(w >> 4 & 0x03030303), a.z, sums[r]);
            sums[r] = __dp4a((int)(w >> 6 & 0x03030303), a.w, sums[r]);
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS_WARP; ++r) {
        const int sum = __reduce_add_sync(0xffffffff, sums[r] - all);
        if (lane == 0) y[row + r] = sum * 0.01f;
    }
#else
    float sums[ROWS_WARP] = {};
#pragma unroll U
    for (int s = 0; s < STEPS; ++s) {
        float a[16];
#pragma unroll
        for (int k = 0; k < 4; ++k)
            *reinterpret_cast<float4*>(a + 4 * k) = reinterpret_cast<const float4*>(x)[(s * 4 + k) * 32 + lane];
#pragma unroll
        for (int r = 0; r < ROWS_WARP; ++r) {
            const unsigned w = mine[r * WORDS + s * 32];
#pragma unroll
            for (int k = 0; k < 16; ++k) {
                const unsigned code = w >> 2 * k & 3;
                sums[r] += code == 2 ? a[k] : code == 0 ? -a[k] : 0.0f;
            }
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS_WARP; ++r) {
#pragma unroll
        for (int d = 16; d > 0; d >>= 1) sums[r] += __shfl_xor_sync(0xffffffff, sums[r], d);
        if (lane == 0) y[row + r] = sums[r];
    }
#endif
}
