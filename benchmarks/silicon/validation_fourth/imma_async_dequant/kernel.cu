// int8 linear layer by mma.sync m16n8k32: tiles by cp.async in STAGES buffers, swizzled, fragments by ldmatrix; the sums
// are scaled by row and column and written in FP16. Four warps, two by two.
#include <cuda_fp16.h>

constexpr int N = 1024, K = 2048, WM = BM / 2, WN = BN / 2, MI = WM / 16, NI = WN / 8, CHUNKS = BK / 16;
constexpr int TILE_BYTES = (BM + BN) * BK, STEPS = K / BK;

__device__ __forceinline__ int place(int row, int chunk)
{
    return row * BK + ((CHUNKS == 8 ? chunk ^ (row & 7) : chunk ^ ((row >> 1) & 3)) << 4);
}

__device__ __forceinline__ void copy16(unsigned to, const void* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}

__device__ __forceinline__ void load4(unsigned (&r)[4], unsigned at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}

extern "C" __global__ void __launch_bounds__(128)
imma_async_dequant(const signed char* __restrict__ x, const signed char* __restrict__ w,
                   const float* __restrict__ row_scale, const float* __restrict__ column_scale, __half* __restrict__ y)
{
    extern __shared__ __align__(128) unsigned char tiles[];
    const unsigned base = (unsigned)__cvta_generic_to_shared(tiles);
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5, wm = (warp >> 1) * WM, wn = (warp & 1) * WN;
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
    int acc[MI][NI][4] = {};

    auto fetch = [&](int step) {
        const unsigned at = base + step % STAGES * TILE_BYTES;
#pragma unroll
        for (int i = t; i < BM * CHUNKS; i += 128)
            copy16(at + place(i / CHUNKS, i % CHUNKS), x + (size_t)(m0 + i / CHUNKS) * K + step * BK + i % CHUNKS * 16);
#pragma unroll
        for (int i = t; i < BN * CHUNKS; i += 128)
            copy16(at + BM * BK + place(i / CHUNKS, i % CHUNKS),
                   w + (size_t)(n0 + i / CHUNKS) * K + step * BK + i % CHUNKS * 16);
    };

#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        fetch(s);
        asm volatile("cp.async.commit_group;");
    }
    for (int step = 0; step < STEPS; ++step) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
        __syncthreads();
        if (step + STAGES - 1 < STEPS) fetch(step + STAGES - 1);
        asm volatile("cp.async.commit_group;");
        const unsigned sx = base + step % STAGES * TILE_BYTES, sw = sx + BM * BK;
#pragma unroll
        for (int c = 0; c < CHUNKS; c += 2) {
            unsigned fb[NI / 2][4];
#pragma unroll
            for (int j = 0; j < NI / 2; ++j)
                load4(fb[j], sw + place(wn + j * 16 + (lane & 7) + (lane >> 4) * 8, c + ((lane >> 3) & 1)));
#pragma unroll
            for (int i = 0; i < MI; ++i) {
                unsigned fa[4];
                load4(fa, sx + place(wm + i * 16 + (lane & 15), c + (lane >> 4)));
#pragma unroll
                for (int j = 0; j < NI; ++j)
                    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, "
                                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+r"(acc[i][j][0]), "+r"(acc[i][j][1]), "+r"(acc[i][j][2]), "+r"(acc[i][j][3])
                                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[j / 2][j % 2 * 2]),
                                   "r"(fb[j / 2][j % 2 * 2 + 1]));
            }
        }
    }
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const int row = m0 + wm + i * 16 + (lane >> 2) + 8 * h;
            const float rs = row_scale[row] * 1e-4f;
#pragma unroll
            for (int j = 0; j < NI; ++j) {
                const int column = n0 + wn + j * 8 + (lane & 3) * 2;
                const float2 cs = *reinterpret_cast<const float2*>(column_scale + column);
                *reinterpret_cast<__half2*>(y + (size_t)row * N + column) =
                    __floats2half2_rn(acc[i][j][2 * h] * rs * cs.x, acc[i][j][2 * h + 1] * rs * cs.y);
            }
        }
}
