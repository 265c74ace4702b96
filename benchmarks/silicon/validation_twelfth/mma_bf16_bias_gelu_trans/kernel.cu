// gelu(A B + bias) in bf16, B by rows through ldmatrix.trans, tiles of shared memory in one or two copies.
#include <cuda_bf16.h>
constexpr int M = 1024, N = 4096, K = 1024, BK = 32, WARPS_N = BN / WN, THREADS = BM / 32 * WARPS_N * 32, LDA = BK + 8, LDB = BN + 8, NI = WN / 8;
constexpr int NA = BM * BK / 8 / THREADS, NB = BK * BN / 8 / THREADS;

__device__ __forceinline__ void mma16816_bf16(float* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void ldmatrix_x4(unsigned* f, const void* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]) : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}

__device__ __forceinline__ void ldmatrix_x4_trans(unsigned* f, const void* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]) : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}

__device__ __forceinline__ float gelu(float x)
{
    const float u = 1.5957691f * (x + 0.044715f * x * x * x);
    return __fdividef(x, 1.0f + __expf(-u));
}

extern "C" __global__ void __launch_bounds__(THREADS)
mma_bf16_bias_gelu_trans(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b, const float* __restrict__ bias,
                         __nv_bfloat16* __restrict__ c)
{
    alignas(16) __shared__ __nv_bfloat16 as[COPIES][BM * LDA];
    alignas(16) __shared__ __nv_bfloat16 bs[COPIES][BK * LDB];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wr = warp / WARPS_N * 32, wc = warp % WARPS_N * WN;
    const int row0 = blockIdx.x * BM, col0 = blockIdx.y * BN;
    uint4 pa[NA], pb[NB];
    const auto read = [&](int k0) {
#pragma unroll
        for (int i = 0; i < NA; ++i) {
            const int e = i * THREADS + threadIdx.x;
            pa[i] = *reinterpret_cast<const uint4*>(a + (size_t)(row0 + e / (BK / 8)) * K + k0 + e % (BK / 8) * 8);
        }
#pragma unroll
        for (int i = 0; i < NB; ++i) {
            const int e = i * THREADS + threadIdx.x;
            pb[i] = *reinterpret_cast<const uint4*>(b + (size_t)(k0 + e / (BN / 8)) * N + col0 + e % (BN / 8) * 8);
        }
    };
    read(0);
    float acc[2][NI][4] = {};
#pragma unroll 1
    for (int tile = 0; tile < K / BK; ++tile) {
        const int now = COPIES == 2 ? tile % 2 : 0;
        if (COPIES == 1) __syncthreads();
#pragma unroll
        for (int i = 0; i < NA; ++i) {
            const int e = i * THREADS + threadIdx.x;
            *reinterpret_cast<uint4*>(as[now] + e / (BK / 8) * LDA + e % (BK / 8) * 8) = pa[i];
        }
#pragma unroll
        for (int i = 0; i < NB; ++i) {
            const int e = i * THREADS + threadIdx.x;
            *reinterpret_cast<uint4*>(bs[now] + e / (BN / 8) * LDB + e % (BN / 8) * 8) = pb[i];
        }
        __syncthreads();
        if (tile + 1 < K / BK) read((tile + 1) * BK);
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            unsigned fa[2][4];
#pragma unroll
            for (int i = 0; i < 2; ++i) ldmatrix_x4(fa[i], as[now] + (wr + i * 16 + lane % 16) * LDA + k + lane / 16 * 8);
#pragma unroll
            for (int j = 0; j < NI; j += 2) {
                unsigned fb[4];
                ldmatrix_x4_trans(fb, bs[now] + (k + lane % 16) * LDB + wc + j * 8 + lane / 16 * 8);
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    mma16816_bf16(acc[i][j], fa[i], fb);
                    mma16816_bf16(acc[i][j + 1], fa[i], fb + 2);
                }
            }
        }
    }
#pragma unroll
    for (int j = 0; j < NI; ++j) {
        const int column = col0 + wc + j * 8 + lane % 4 * 2;
        const float2 add = *reinterpret_cast<const float2*>(bias + column);
#pragma unroll
        for (int i = 0; i < 4; ++i)
            *reinterpret_cast<__nv_bfloat162*>(c + (size_t)(row0 + wr + i * 8 + lane / 4) * N + column) =
                __floats2bfloat162_rn(gelu(acc[i / 2][j][i % 2 * 2] + add.x), gelu(acc[i / 2][j][i % 2 * 2 + 1] + add.y));
    }
}
