// Attention forward in FP16 by mma.sync m16n8k16: a warp owns 16 queries, their fragments stay in registers, and so do
// the probabilities between the two products.
#include <cuda_fp16.h>

constexpr int SEQ = 1024, BR = WARPS * 16, THREADS = WARPS * 32, LD = HEAD + 8, KD = HEAD / 16, NS = BC / 8, ND = HEAD / 8;

extern __shared__ __align__(16) half tiles[];

__device__ __forceinline__ void mma(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ unsigned pack(float x, float y)
{
    const half2 h = __floats2half2_rn(x, y);
    return *reinterpret_cast<const unsigned*>(&h);
}

extern "C" __global__ void __launch_bounds__(THREADS)
flash_mma_half(const half* __restrict__ q, const half* __restrict__ k, const half* __restrict__ v,
               half* __restrict__ out, float scale)
{
    half* sk = tiles;
    half* sv = sk + BC * LD;
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5, g = lane >> 2, c = (lane & 3) * 2;
    const size_t base = (size_t)blockIdx.y * SEQ * HEAD;
    const int q0 = blockIdx.x * BR, row0 = q0 + warp * 16 + g;

    unsigned fq[KD][4];
#pragma unroll
    for (int i = 0; i < KD; ++i)
#pragma unroll
        for (int r = 0; r < 4; ++r)
            fq[i][r] = *reinterpret_cast<const unsigned*>(q + base + (size_t)(row0 + (r & 1) * 8) * HEAD + i * 16 + c
                                                          + (r >> 1) * 8);
    float o[ND][4] = {}, top[2] = {-1e30f, -1e30f}, total[2] = {0.0f, 0.0f};
    const int end = CAUSAL ? q0 + BR : SEQ;
    for (int k0 = 0; k0 < end; k0 += BC) {
        __syncthreads();
        for (int i = t; i < BC * HEAD / 8; i += THREADS) {
            const int r = i / (HEAD / 8), d = i % (HEAD / 8) * 8;
            *reinterpret_cast<uint4*>(sk + r * LD + d) = *reinterpret_cast<const uint4*>(k + base + (size_t)(k0 + r) * HEAD + d);
            *reinterpret_cast<uint4*>(sv + r * LD + d) = *reinterpret_cast<const uint4*>(v + base + (size_t)(k0 + r) * HEAD + d);
        }
        __syncthreads();
        float s[NS][4] = {};
#pragma unroll
        for (int n = 0; n < NS; ++n)
#pragma unroll
            for (int i = 0; i < KD; i += 2) {
                unsigned b0, b1, b2, b3;
                const unsigned at = (unsigned)__cvta_generic_to_shared(sk + (n * 8 + (lane & 7)) * LD + i * 16 + (lane >> 3) * 8);
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(b0), "=r"(b1), "=r"(b2), "=r"(b3) : "r"(at));
                mma(s[n], fq[i], b0, b1);
                mma(s[n], fq[i + 1], b2, b3);
            }
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            float m = top[h];
#pragma unroll
            for (int n = 0; n < NS; ++n)
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    float& x = s[n][2 * h + e];
                    x *= scale;
                    if (CAUSAL && k0 + n * 8 + c + e > row0 + 8 * h) x = -1e30f;
                    m = fmaxf(m, x);
                }
            m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, 1));
            m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, 2));
            const float shrink = exp2f(top[h] - m);
            top[h] = m;
            float sum = 0.0f;
#pragma unroll
            for (int n = 0; n < NS; ++n)
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    s[n][2 * h + e] = exp2f(s[n][2 * h + e] - m);
                    sum += s[n][2 * h + e];
                }
            total[h] = total[h] * shrink + sum;
#pragma unroll
            for (int n = 0; n < ND; ++n) {
                o[n][2 * h] *= shrink;
                o[n][2 * h + 1] *= shrink;
            }
        }
#pragma unroll
        for (int i = 0; i < BC / 16; ++i) {
            const unsigned p[4] = {pack(s[2 * i][0], s[2 * i][1]), pack(s[2 * i][2], s[2 * i][3]),
                                   pack(s[2 * i + 1][0], s[2 * i + 1][1]), pack(s[2 * i + 1][2], s[2 * i + 1][3])};
#pragma unroll
            for (int n = 0; n < ND; n += 2) {
                unsigned b0, b1, b2, b3;
                const unsigned at = (unsigned)__cvta_generic_to_shared(sv + (i * 16 + (lane & 15)) * LD + n * 8 + (lane >> 4) * 8);
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(b0), "=r"(b1), "=r"(b2), "=r"(b3) : "r"(at));
                mma(o[n], p, b0, b1);
                mma(o[n + 1], p, b2, b3);
            }
        }
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        total[h] += __shfl_xor_sync(0xffffffff, total[h], 1);
        total[h] += __shfl_xor_sync(0xffffffff, total[h], 2);
        const float inverse = 1.0f / total[h];
#pragma unroll
        for (int n = 0; n < ND; ++n)
            *reinterpret_cast<half2*>(out + base + (size_t)(row0 + 8 * h) * HEAD + n * 8 + c) =
                __floats2half2_rn(o[n][2 * h] * inverse, o[n][2 * h + 1] * inverse);
    }
}
