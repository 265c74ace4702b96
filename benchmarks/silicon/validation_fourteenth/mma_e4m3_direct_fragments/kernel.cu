// Warps lie side by side in a block and share the rows of A through the cache.
#include <cuda_bf16.h>
constexpr int N = 1024, K = 1024;

extern "C" __global__ void __launch_bounds__(WARPS * 32)
mma_e4m3_direct_fragments(const unsigned char* __restrict__ a, const unsigned char* __restrict__ b, const float* __restrict__ row_scale,
                          const float* __restrict__ col_scale, __nv_bfloat16* __restrict__ c)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, q = lane % 4;
    const int row0 = blockIdx.y * WM * 16, col0 = (blockIdx.x * WARPS + warp) * WN * 8;
    const unsigned* pa = reinterpret_cast<const unsigned*>(a + (row0 + g) * K) + q;
    const unsigned* pb = reinterpret_cast<const unsigned*>(b + (col0 + g) * K) + q;
    float acc[WM][WN][4] = {};
    unsigned fa[WM][4], fb[WN][2], na[WM][4], nb[WN][2];
    auto fetch = [&](int k, unsigned (*ra)[4], unsigned (*rb)[2]) {
#pragma unroll
        for (int i = 0; i < WM; ++i)
#pragma unroll
            for (int h = 0; h < 4; ++h) ra[i][h] = pa[(i * 16 + h % 2 * 8) * (K / 4) + k / 4 + h / 2 * 4];
#pragma unroll
        for (int j = 0; j < WN; ++j)
#pragma unroll
            for (int h = 0; h < 2; ++h) rb[j][h] = pb[j * 8 * (K / 4) + k / 4 + h * 4];
    };
    if (AHEAD) fetch(0, na, nb);
#pragma unroll 2
    for (int k = 0; k < K; k += 32) {
        if (AHEAD) {
#pragma unroll
            for (int i = 0; i < WM; ++i)
#pragma unroll
                for (int h = 0; h < 4; ++h) fa[i][h] = na[i][h];
#pragma unroll
            for (int j = 0; j < WN; ++j)
#pragma unroll
                for (int h = 0; h < 2; ++h) fb[j][h] = nb[j][h];
            fetch(k + 32 < K ? k + 32 : 0, na, nb);
        } else {
            fetch(k, fa, fb);
        }
#pragma unroll
        for (int i = 0; i < WM; ++i)
#pragma unroll
            for (int j = 0; j < WN; ++j) {
                float* d = acc[i][j];
                asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                             : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
            }
    }
#pragma unroll
    for (int i = 0; i < WM; ++i)
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const int row = row0 + i * 16 + g + h * 8;
            const float rs = row_scale[row];
#pragma unroll
            for (int j = 0; j < WN; ++j) {
                const int col = col0 + j * 8 + q * 2;
                const float2 cs = *reinterpret_cast<const float2*>(col_scale + col);
                *reinterpret_cast<__nv_bfloat162*>(c + row * N + col) = __floats2bfloat162_rn(acc[i][j][2 * h] * rs * cs.x, acc[i][j][2 * h + 1] * rs * cs.y);
            }
        }
}
