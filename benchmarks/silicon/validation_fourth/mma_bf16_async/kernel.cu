// bf16 matrix product, x times the transpose of w, tiles by cp.async in STAGES buffers, padded or swizzled; the
// fragments of both halves of a step are loaded before its products.
#include <cuda_bf16.h>

constexpr int N = 1536, K = 1024, BK = 32, WM = BM / 2, WN = BN / 2, MI = WM / 16, NI = WN / 8;
constexpr int PITCH = SWIZZLE ? BK : BK + 8, TILE = (BM + BN) * PITCH, STEPS = K / BK;

__device__ __forceinline__ int place(int row, int chunk)
{
    return row * PITCH + ((SWIZZLE ? chunk ^ ((row >> 1) & 3) : chunk) << 3);
}

__device__ __forceinline__ void load4(unsigned (&r)[4], const __nv_bfloat16* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"((unsigned)__cvta_generic_to_shared(p)));
}

__device__ __forceinline__ void copy16(__nv_bfloat16* to, const __nv_bfloat16* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from));
}

extern "C" __global__ void __launch_bounds__(128)
mma_bf16_async(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ w, __nv_bfloat16* __restrict__ y)
{
    extern __shared__ __align__(128) __nv_bfloat16 buffer[];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5, wm = (warp >> 1) * WM, wn = (warp & 1) * WN;
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
    float acc[MI][NI][4] = {};
    unsigned fa[2][MI][4], fb[2][NI / 2][4];

    auto fetch = [&](int step) {
        __nv_bfloat16* sx = buffer + step % STAGES * TILE;
        __nv_bfloat16* sw = sx + BM * PITCH;
#pragma unroll
        for (int i = t; i < BM * 4; i += 128)
            copy16(sx + place(i / 4, i % 4), x + (size_t)(m0 + i / 4) * K + step * BK + i % 4 * 8);
#pragma unroll
        for (int i = t; i < BN * 4; i += 128)
            copy16(sw + place(i / 4, i % 4), w + (size_t)(n0 + i / 4) * K + step * BK + i % 4 * 8);
    };
    auto fragments = [&](int step, int half) {
        const __nv_bfloat16* sx = buffer + step % STAGES * TILE;
        const __nv_bfloat16* sw = sx + BM * PITCH;
#pragma unroll
        for (int i = 0; i < MI; ++i) load4(fa[half][i], sx + place(wm + i * 16 + (lane & 15), 2 * half + (lane >> 4)));
#pragma unroll
        for (int j = 0; j < NI / 2; ++j)
            load4(fb[half][j], sw + place(wn + j * 16 + (lane & 7) + (lane >> 4) * 8, 2 * half + ((lane >> 3) & 1)));
    };
    auto multiply = [&](int half) {
#pragma unroll
        for (int i = 0; i < MI; ++i)
#pragma unroll
            for (int j = 0; j < NI; ++j)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                             "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                             : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                             : "r"(fa[half][i][0]), "r"(fa[half][i][1]), "r"(fa[half][i][2]), "r"(fa[half][i][3]),
                               "r"(fb[half][j / 2][j % 2 * 2]), "r"(fb[half][j / 2][j % 2 * 2 + 1]));
    };

#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        fetch(s);
        asm volatile("cp.async.commit_group;");
    }
    for (int step = 0; step < STEPS; ++step) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
        __syncthreads();
        fragments(step, 0);
        if (step + STAGES - 1 < STEPS) fetch(step + STAGES - 1);
        asm volatile("cp.async.commit_group;");
        fragments(step, 1);
        multiply(0);
        multiply(1);
    }
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
        for (int j = 0; j < NI; ++j)
#pragma unroll
            for (int h = 0; h < 2; ++h)
                *reinterpret_cast<__nv_bfloat162*>(y + (size_t)(m0 + wm + i * 16 + (lane >> 2) + 8 * h) * N + n0 + wn +
                                                   j * 8 + (lane & 3) * 2) =
                    __floats2bfloat162_rn(acc[i][j][2 * h], acc[i][j][2 * h + 1]);
}
