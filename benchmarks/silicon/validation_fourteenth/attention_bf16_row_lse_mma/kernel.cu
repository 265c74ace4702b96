// lse[q] = log sum over k of exp(q k / 8); what a backward pass or a merge of parts needs.
#include <cuda_bf16.h>
constexpr int D = 64, LD = D + 8, THREADS = WARPS * 32, FN = KEYS / 8;

__device__ __forceinline__ unsigned word(const __nv_bfloat16* p) { return *reinterpret_cast<const unsigned*>(p); }

extern "C" __global__ void __launch_bounds__(THREADS)
attention_bf16_row_lse_mma(const __nv_bfloat16* __restrict__ q, const __nv_bfloat16* __restrict__ k, float* __restrict__ lse)
{
    alignas(16) __shared__ __nv_bfloat16 ks[STAGED ? KEYS * LD : 8];
    const int t = threadIdx.x, lane = t % 32, g = lane / 4, c = lane % 4 * 2, row0 = (blockIdx.x * WARPS + t / 32) * 16;
    const __nv_bfloat16* pq = q + ((size_t)blockIdx.y * SEQ + row0 + g) * D + c;
    const __nv_bfloat16* pk = k + (size_t)blockIdx.y * SEQ * D;
    unsigned fq[D / 16][4];
#pragma unroll
    for (int i = 0; i < D / 16; ++i)
#pragma unroll
        for (int h = 0; h < 4; ++h) fq[i][h] = word(pq + h % 2 * 8 * D + i * 16 + h / 2 * 8);
    float top[2] = {-1e30f, -1e30f}, sum[2] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < SEQ; k0 += KEYS) {
        if (STAGED) {
            __syncthreads();
#pragma unroll
            for (int i = t; i < KEYS * D / 8; i += THREADS)
                *reinterpret_cast<uint4*>(ks + i / (D / 8) * LD + i % (D / 8) * 8) = *reinterpret_cast<const uint4*>(pk + (size_t)k0 * D + i * 8);
            __syncthreads();
        }
        float s[FN][4] = {};
#pragma unroll
        for (int j = 0; j < FN; ++j) {
            const __nv_bfloat16* p = STAGED ? ks + (j * 8 + g) * LD + c : pk + (size_t)(k0 + j * 8 + g) * D + c;
#pragma unroll
            for (int i = 0; i < D / 16; ++i) {
                const unsigned b0 = word(p + i * 16), b1 = word(p + i * 16 + 8);
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(s[j][0]), "+f"(s[j][1]), "+f"(s[j][2]), "+f"(s[j][3])
                             : "r"(fq[i][0]), "r"(fq[i][1]), "r"(fq[i][2]), "r"(fq[i][3]), "r"(b0), "r"(b1));
            }
        }
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            float high = top[h];
#pragma unroll
            for (int j = 0; j < FN; ++j) high = fmaxf(high, fmaxf(s[j][2 * h], s[j][2 * h + 1]) * 0.125f);
            sum[h] *= __expf(top[h] - high);
#pragma unroll
            for (int j = 0; j < FN; ++j) sum[h] += __expf(s[j][2 * h] * 0.125f - high) + __expf(s[j][2 * h + 1] * 0.125f - high);
            top[h] = high;
        }
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
#pragma unroll
        for (int d = 1; d < 4; d *= 2) {
            const float other = __shfl_xor_sync(~0u, top[h], d), more = __shfl_xor_sync(~0u, sum[h], d), high = fmaxf(top[h], other);
            sum[h] = sum[h] * __expf(top[h] - high) + more * __expf(other - high);
            top[h] = high;
        }
        if (lane % 4 == 0) lse[(size_t)blockIdx.y * SEQ + row0 + g + h * 8] = top[h] + __logf(sum[h]);
    }
}
