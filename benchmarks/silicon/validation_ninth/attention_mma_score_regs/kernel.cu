// Heads of 1,024 queries and keys; a warp has 16 queries, whose exponentials become the fragments of the second product.
#include <cuda_fp16.h>
constexpr int THREADS = 32 * WARPS, LD = DIM + 8, VECS = DIM / 8, KS = DIM / 16, NS = TK / 8, ND = DIM / 8;

__device__ __forceinline__ void mma16816(float* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void ldm2t(unsigned* f, const __half* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(f[0]), "=r"(f[1]) : "r"((unsigned)__cvta_generic_to_shared(p)));
}

__device__ __forceinline__ unsigned packed(float a, float b)
{
    const __half2 h = __floats2half2_rn(a, b);
    return *reinterpret_cast<const unsigned*>(&h);
}

extern "C" __global__ void __launch_bounds__(THREADS)
attention_mma_score_regs(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
                         __half* __restrict__ out)
{
    __shared__ alignas(16) __half ks[TK * LD], vs[TK * LD];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const size_t base = (size_t)blockIdx.y * 1024 * DIM;
    const int row = (blockIdx.x * WARPS + warp) * 16;
    unsigned f[KS][4];
#pragma unroll
    for (int i = 0; i < KS; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            f[i][j] = *reinterpret_cast<const unsigned*>(q + base + (row + j % 2 * 8 + g) * DIM + i * 16 + j / 2 * 8 + 2 * t);
    float acc[ND][4] = {}, top[2] = {-1.0e30f, -1.0e30f}, sum[2] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < 1024; k0 += TK) {
        for (int i = threadIdx.x; i < TK * VECS; i += THREADS) {
            const size_t from = base + (size_t)(k0 + i / VECS) * DIM + i % VECS * 8;
            *reinterpret_cast<uint4*>(ks + i / VECS * LD + i % VECS * 8) = *reinterpret_cast<const uint4*>(k + from);
            *reinterpret_cast<uint4*>(vs + i / VECS * LD + i % VECS * 8) = *reinterpret_cast<const uint4*>(v + from);
        }
        __syncthreads();
        float s[NS][4] = {}, now[2] = {top[0], top[1]};
#pragma unroll
        for (int n = 0; n < NS; ++n) {
#pragma unroll
            for (int i = 0; i < KS; ++i) {
                const unsigned* from = reinterpret_cast<const unsigned*>(ks + (n * 8 + g) * LD + i * 16 + 2 * t);
                const unsigned h[2] = {from[0], from[4]};
                mma16816(s[n], f[i], h);
            }
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                s[n][j] *= 0.125f;
                now[j / 2] = fmaxf(now[j / 2], s[n][j]);
            }
        }
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            now[r] = fmaxf(now[r], __shfl_xor_sync(~0u, now[r], 1));
            now[r] = fmaxf(now[r], __shfl_xor_sync(~0u, now[r], 2));
            const float shrink = __expf(top[r] - now[r]);
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
                s[n][j] = __expf(s[n][j] - top[j / 2]);
                sum[j / 2] += s[n][j];
            }
#pragma unroll
        for (int i = 0; i < TK / 16; ++i) {
            const unsigned e[4] = {packed(s[2 * i][0], s[2 * i][1]), packed(s[2 * i][2], s[2 * i][3]),
                                   packed(s[2 * i + 1][0], s[2 * i + 1][1]), packed(s[2 * i + 1][2], s[2 * i + 1][3])};
#pragma unroll
            for (int n = 0; n < ND; ++n) {
                unsigned h[2];
                if (TRANS) {
                    ldm2t(h, vs + (i * 16 + lane % 16) * LD + n * 8);
                } else {
                    const unsigned short* p = reinterpret_cast<const unsigned short*>(vs) + (i * 16 + 2 * t) * LD + n * 8 + g;
                    h[0] = p[0] | (unsigned)p[LD] << 16;
                    h[1] = p[8 * LD] | (unsigned)p[9 * LD] << 16;
                }
                mma16816(acc[n], e, h);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        sum[r] += __shfl_xor_sync(~0u, sum[r], 1);
        sum[r] += __shfl_xor_sync(~0u, sum[r], 2);
        sum[r] = 1.0f / sum[r];
#pragma unroll
        for (int n = 0; n < ND; ++n)
            *reinterpret_cast<unsigned*>(out + base + (row + r * 8 + g) * DIM + n * 8 + 2 * t) =
                packed(acc[n][2 * r] * sum[r], acc[n][2 * r + 1] * sum[r]);
    }
}
