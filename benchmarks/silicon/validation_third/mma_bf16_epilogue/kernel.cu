// bf16 matrix product, x times the transpose of w, by mma.sync m16n8k16 with fragments by ldmatrix from XOR-swizzled
// tiles; bias and ReLU or GELU behind it. Four warps, two by two.
#include <cuda_bf16.h>

constexpr int N = 1024, K = 1024, WM = BM / 2, WN = BN / 2, MI = WM / 16, NI = WN / 8, CHUNKS = BK / 8;

__device__ __forceinline__ int place(int row, int chunk)   // of eight numbers, in numbers
{
    constexpr int MASK = CHUNKS >= 8 ? 7 : CHUNKS - 1, SHIFT = CHUNKS >= 8 ? 0 : 1;
    return row * BK + ((chunk ^ ((row >> SHIFT) & MASK)) << 3);
}

__device__ __forceinline__ void ldmatrix4(unsigned (&r)[4], const __nv_bfloat16* p)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}

__device__ __forceinline__ float activate(float v)
{
#if GELU
    const float u = 0.7978845608f * (v + 0.044715f * v * v * v);
    return v * (1.0f - 1.0f / (1.0f + __expf(2.0f * u)));
#else
    return fmaxf(v, 0.0f);
#endif
}

extern "C" __global__ void __launch_bounds__(128)
mma_bf16_epilogue(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ w,
                  const float* __restrict__ bias, __nv_bfloat16* __restrict__ y)
{
    __shared__ __align__(128) __nv_bfloat16 sx[BM * BK], sw[BN * BK];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5, wm = (warp >> 1) * WM, wn = (warp & 1) * WN;
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
    float acc[MI][NI][4] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = t; i < BM * CHUNKS; i += 128)
            *reinterpret_cast<uint4*>(sx + place(i / CHUNKS, i % CHUNKS)) =
                *reinterpret_cast<const uint4*>(x + (size_t)(m0 + i / CHUNKS) * K + k0 + i % CHUNKS * 8);
#pragma unroll
        for (int i = t; i < BN * CHUNKS; i += 128)
            *reinterpret_cast<uint4*>(sw + place(i / CHUNKS, i % CHUNKS)) =
                *reinterpret_cast<const uint4*>(w + (size_t)(n0 + i / CHUNKS) * K + k0 + i % CHUNKS * 8);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < CHUNKS; k += 2) {
            unsigned fb[NI / 2][4];
#pragma unroll
            for (int j = 0; j < NI / 2; ++j)
                ldmatrix4(fb[j], sw + place(wn + j * 16 + (lane & 7) + (lane >> 4) * 8, k + ((lane >> 3) & 1)));
#pragma unroll
            for (int i = 0; i < MI; ++i) {
                unsigned fa[4];
                ldmatrix4(fa, sx + place(wm + i * 16 + (lane & 15), k + (lane >> 4)));
#pragma unroll
                for (int j = 0; j < NI; ++j)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[j / 2][j % 2 * 2]),
                                   "r"(fb[j / 2][j % 2 * 2 + 1]));
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
        for (int j = 0; j < NI; ++j) {
            const int row = m0 + wm + i * 16 + (lane >> 2), column = n0 + wn + j * 8 + (lane & 3) * 2;
            const float2 b = *reinterpret_cast<const float2*>(bias + column);
#pragma unroll
            for (int h = 0; h < 2; ++h)
                *reinterpret_cast<__nv_bfloat162*>(y + (size_t)(row + 8 * h) * N + column) = __floats2bfloat162_rn(
                    activate(acc[i][j][2 * h] + b.x), activate(acc[i][j][2 * h + 1] + b.y));
        }
}
