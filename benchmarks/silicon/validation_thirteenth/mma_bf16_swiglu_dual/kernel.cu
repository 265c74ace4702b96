// silu(X G^T) * (X U^T); a warp has BM / 4 rows and all BN columns of both products.
#include <cuda_bf16.h>
constexpr int N = 2048, K = 1024, THREADS = 128, LD = BK + 8, FM = BM / 64, FN = BN / 8;
constexpr int CX = BM * BK / 8 / THREADS, CW = BN * BK / 8 / THREADS;

__device__ __forceinline__ void ldsm4(unsigned* r, const void* p)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

__device__ __forceinline__ void mma_bf16_16816(float* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ float gated(float g, float u)
{
    return g * u / (1.0f + __expf(-g));
}

extern "C" __global__ void __launch_bounds__(THREADS)
mma_bf16_swiglu_dual(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ gate, const __nv_bfloat16* __restrict__ up,
                     __nv_bfloat16* __restrict__ out)
{
    alignas(16) __shared__ __nv_bfloat16 xs[BM * LD];
    alignas(16) __shared__ __nv_bfloat16 ws[2][BN * LD];
    const int t = threadIdx.x, lane = t % 32, m0 = t / 32 * (BM / 4), row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, mat = lane / 8;
    float acc[2][FM][FN][4] = {};
    uint4 nx[CX], nw[2][CW];
    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < CX; ++i) {
            const int at = t + i * THREADS;
            nx[i] = *reinterpret_cast<const uint4*>(x + (row0 + at / (BK / 8)) * K + k0 + at % (BK / 8) * 8);
        }
#pragma unroll
        for (int i = 0; i < CW; ++i) {
            const int at = t + i * THREADS, from = (col0 + at / (BK / 8)) * K + k0 + at % (BK / 8) * 8;
            nw[0][i] = *reinterpret_cast<const uint4*>(gate + from);
            nw[1][i] = *reinterpret_cast<const uint4*>(up + from);
        }
    };
    if (AHEAD) fetch(0);
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
        if (!AHEAD) fetch(k0);
#pragma unroll
        for (int i = 0; i < CX; ++i) {
            const int at = t + i * THREADS;
            *reinterpret_cast<uint4*>(xs + at / (BK / 8) * LD + at % (BK / 8) * 8) = nx[i];
        }
#pragma unroll
        for (int i = 0; i < CW; ++i) {
            const int at = t + i * THREADS, to = at / (BK / 8) * LD + at % (BK / 8) * 8;
            *reinterpret_cast<uint4*>(ws[0] + to) = nw[0][i];
            *reinterpret_cast<uint4*>(ws[1] + to) = nw[1][i];
        }
        __syncthreads();
        if (AHEAD && k0 + BK < K) fetch(k0 + BK);
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            unsigned fa[FM][4];
#pragma unroll
            for (int i = 0; i < FM; ++i) ldsm4(fa[i], xs + (m0 + i * 16 + lane % 8 + mat % 2 * 8) * LD + k + mat / 2 * 8);
#pragma unroll
            for (int w = 0; w < 2; ++w)
#pragma unroll
                for (int j = 0; j < FN; j += 2) {
                    unsigned fb[4];
                    ldsm4(fb, ws[w] + (j * 8 + lane % 8 + mat / 2 * 8) * LD + k + mat % 2 * 8);
#pragma unroll
                    for (int i = 0; i < FM; ++i) {
                        mma_bf16_16816(acc[w][i][j], fa[i], fb);
                        mma_bf16_16816(acc[w][i][j + 1], fa[i], fb + 2);
                    }
                }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < FM; ++i)
#pragma unroll
        for (int j = 0; j < FN; ++j)
#pragma unroll
            for (int h = 0; h < 2; ++h)
                *reinterpret_cast<__nv_bfloat162*>(out + (size_t)(row0 + m0 + i * 16 + lane / 4 + h * 8) * N + col0 + j * 8 + lane % 4 * 2) =
                    __floats2bfloat162_rn(gated(acc[0][i][j][2 * h], acc[1][i][j][2 * h]), gated(acc[0][i][j][2 * h + 1], acc[1][i][j][2 * h + 1]));
}
