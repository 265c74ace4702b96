// Causal attention of 1,024 tokens, 16 queries a warp; tiles of keys beyond a block's last query are left out.
#include <cuda_fp16.h>
constexpr int THREADS = 32 * WARPS, LD = DIM + 8, VECS = DIM / 8, KS = DIM / 16, NS = BC / 8, ND = DIM / 8, SEQ = 1024;
constexpr int LOADS = BC * VECS / THREADS;

__device__ __forceinline__ void mma16816_f16(float* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
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

__device__ __forceinline__ float fast_exp2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

extern "C" __global__ void __launch_bounds__(THREADS)
attention_f16_mma_causal(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v, __half* __restrict__ out)
{
    alignas(16) __shared__ __half ks[BC * LD];
    alignas(16) __shared__ __half vs[BC * LD];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const int part = LONG_FIRST ? gridDim.x - 1 - blockIdx.x : blockIdx.x, row0 = part * 16 * WARPS, row = row0 + warp * 16;
    const size_t base = (size_t)blockIdx.y * SEQ * DIM;
    unsigned fq[KS][4];
#pragma unroll
    for (int i = 0; i < KS; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            fq[i][j] = *reinterpret_cast<const unsigned*>(q + base + (row + j % 2 * 8 + g) * DIM + i * 16 + j / 2 * 8 + 2 * t);
    float acc[ND][4] = {}, top[2] = {-1.0e30f, -1.0e30f}, sum[2] = {};
    const int tiles = (row0 + 16 * WARPS + BC - 1) / BC;
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < LOADS; ++i) {
            const int e = i * THREADS + threadIdx.x;
            const size_t from = base + (size_t)(tile * BC + e / VECS) * DIM + e % VECS * 8;
            *reinterpret_cast<uint4*>(ks + e / VECS * LD + e % VECS * 8) = *reinterpret_cast<const uint4*>(k + from);
            *reinterpret_cast<uint4*>(vs + e / VECS * LD + e % VECS * 8) = *reinterpret_cast<const uint4*>(v + from);
        }
        __syncthreads();
        if (tile * BC > row + 15) continue;
        float s[NS][4] = {}, now[2] = {top[0], top[1]};
#pragma unroll
        for (int n = 0; n < NS; n += 2)
#pragma unroll
            for (int i = 0; i < KS; ++i) {
                unsigned f[4];
                ldmatrix_x4(f, ks + (n * 8 + lane / 16 * 8 + lane % 8) * LD + i * 16 + lane / 8 % 2 * 8);
                mma16816_f16(s[n], fq[i], f);
                mma16816_f16(s[n + 1], fq[i], f + 2);
            }
        const bool edge = tile * BC + BC - 1 > row;
#pragma unroll
        for (int n = 0; n < NS; ++n)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                s[n][j] *= 0.18033688f;
                if (edge && tile * BC + n * 8 + 2 * t + j % 2 > row + g + j / 2 * 8) s[n][j] = -1.0e30f;
                now[j / 2] = fmaxf(now[j / 2], s[n][j]);
            }
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            now[r] = fmaxf(now[r], __shfl_xor_sync(~0u, now[r], 1));
            now[r] = fmaxf(now[r], __shfl_xor_sync(~0u, now[r], 2));
            const float shrink = fast_exp2(top[r] - now[r]);
            top[r] = now[r];
            sum[r] *= shrink;
#pragma unroll
            for (int n = 0; n < ND; ++n) {
                acc[n][2 * r] *= shrink;
                acc[n][2 * r + 1] *= shrink;
            }
        }
#pragma unroll
        for (int n = 0; n < NS; ++n)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                s[n][j] = fast_exp2(s[n][j] - top[j / 2]);
                sum[j / 2] += s[n][j];
            }
#pragma unroll
        for (int i = 0; i < BC / 16; ++i) {
            unsigned fp[4];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const __half2 h = __floats2half2_rn(s[2 * i + j / 2][j % 2 * 2], s[2 * i + j / 2][j % 2 * 2 + 1]);
                fp[j] = *reinterpret_cast<const unsigned*>(&h);
            }
#pragma unroll
            for (int n = 0; n < ND; n += 2) {
                unsigned f[4];
                ldmatrix_x4_trans(f, vs + (i * 16 + lane % 16) * LD + n * 8 + lane / 16 * 8);
                mma16816_f16(acc[n], fp, f);
                mma16816_f16(acc[n + 1], fp, f + 2);
            }
        }
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        sum[r] += __shfl_xor_sync(~0u, sum[r], 1);
        sum[r] += __shfl_xor_sync(~0u, sum[r], 2);
        const float by = 1.0f / sum[r];
#pragma unroll
        for (int n = 0; n < ND; ++n)
            *reinterpret_cast<__half2*>(out + base + (row + r * 8 + g) * DIM + n * 8 + 2 * t) =
                __floats2half2_rn(acc[n][2 * r] * by, acc[n][2 * r + 1] * by);
    }
}
