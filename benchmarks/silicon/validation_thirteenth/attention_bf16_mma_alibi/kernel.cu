// Attention with linear biases; a warp has 16 queries of 64 numbers, scores become the first operand of the second product in registers.
#include <cuda_bf16.h>
constexpr int D = 64, THREADS = WARPS * 32, LD = D + 8, FC = BC / 8, COPIES = BC * D / 8 / THREADS;

__device__ __forceinline__ void ldsm4(unsigned* r, const void* p)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

__device__ __forceinline__ void ldsm4t(unsigned* r, const void* p)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

__device__ __forceinline__ void mma_bf16_16816(float* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ unsigned packed(float a, float b)
{
    const __nv_bfloat162 h = __floats2bfloat162_rn(a, b);
    return *reinterpret_cast<const unsigned*>(&h);
}

extern "C" __global__ void __launch_bounds__(THREADS)
attention_bf16_mma_alibi(const __nv_bfloat16* __restrict__ q, const __nv_bfloat16* __restrict__ k, const __nv_bfloat16* __restrict__ v,
                         __nv_bfloat16* __restrict__ out)
{
    alignas(16) __shared__ __nv_bfloat16 ks[BC * LD];
    alignas(16) __shared__ __nv_bfloat16 vs[BC * LD];
    const int t = threadIdx.x, lane = t % 32, g = lane / 4, c = lane % 4 * 2, mat = lane / 8;
    const int q0 = blockIdx.x * WARPS * 16 + t / 32 * 16;
    const size_t head = (size_t)blockIdx.y * SEQ * D;
    const float slope = 0.7f / (blockIdx.y + 1), scale = 0.125f;
    unsigned fq[4][4];
#pragma unroll
    for (int d = 0; d < 4; ++d)
#pragma unroll
        for (int r = 0; r < 4; ++r)
            fq[d][r] = *reinterpret_cast<const unsigned*>(q + head + (q0 + g + r % 2 * 8) * D + d * 16 + c + r / 2 * 8);
    float acc[8][4] = {}, top[2] = {-1e30f, -1e30f}, sum[2] = {};
    uint4 nk[COPIES], nv[COPIES];
    auto fetch = [&](int j0) {
#pragma unroll
        for (int i = 0; i < COPIES; ++i) {
            const int at = t + i * THREADS;
            nk[i] = *reinterpret_cast<const uint4*>(k + head + (size_t)j0 * D + at * 8);
            nv[i] = *reinterpret_cast<const uint4*>(v + head + (size_t)j0 * D + at * 8);
        }
    };
    if (AHEAD) fetch(0);
#pragma unroll 1
    for (int j0 = 0; j0 < SEQ; j0 += BC) {
        if (!AHEAD) fetch(j0);
#pragma unroll
        for (int i = 0; i < COPIES; ++i) {
            const int at = t + i * THREADS, to = at / (D / 8) * LD + at % (D / 8) * 8;
            *reinterpret_cast<uint4*>(ks + to) = nk[i];
            *reinterpret_cast<uint4*>(vs + to) = nv[i];
        }
        __syncthreads();
        if (AHEAD && j0 + BC < SEQ) fetch(j0 + BC);
        float s[FC][4] = {};
#pragma unroll
        for (int d = 0; d < 4; ++d)
#pragma unroll
            for (int j = 0; j < FC; j += 2) {
                unsigned fb[4];
                ldsm4(fb, ks + (j * 8 + lane % 8 + mat / 2 * 8) * LD + d * 16 + mat % 2 * 8);
                mma_bf16_16816(s[j], fq[d], fb);
                mma_bf16_16816(s[j + 1], fq[d], fb + 2);
            }
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const int row = q0 + g + h * 8;
            float here = top[h];
#pragma unroll
            for (int j = 0; j < FC; ++j)
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    float& w = s[j][2 * h + e];
                    w = w * scale - slope * fabsf((float)(row - (j0 + j * 8 + c + e)));
                    here = fmaxf(here, w);
                }
            here = fmaxf(here, __shfl_xor_sync(~0u, here, 1));
            here = fmaxf(here, __shfl_xor_sync(~0u, here, 2));
            const float less = __expf(top[h] - here);
            top[h] = here;
            sum[h] *= less;
#pragma unroll
            for (int d = 0; d < 8; ++d) acc[d][2 * h] *= less, acc[d][2 * h + 1] *= less;
#pragma unroll
            for (int j = 0; j < FC; ++j)
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    s[j][2 * h + e] = __expf(s[j][2 * h + e] - here);
                    sum[h] += s[j][2 * h + e];
                }
        }
#pragma unroll
        for (int j = 0; j < FC; j += 2) {
            const unsigned fp[4] = {packed(s[j][0], s[j][1]), packed(s[j][2], s[j][3]), packed(s[j + 1][0], s[j + 1][1]), packed(s[j + 1][2], s[j + 1][3])};
#pragma unroll
            for (int d = 0; d < 8; d += 2) {
                unsigned fb[4];
                ldsm4t(fb, vs + (j * 8 + lane % 8 + mat % 2 * 8) * LD + d * 8 + mat / 2 * 8);
                mma_bf16_16816(acc[d], fp, fb);
                mma_bf16_16816(acc[d + 1], fp, fb + 2);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        sum[h] += __shfl_xor_sync(~0u, sum[h], 1);
        sum[h] += __shfl_xor_sync(~0u, sum[h], 2);
        const float by = 1.0f / sum[h];
#pragma unroll
        for (int d = 0; d < 8; ++d)
            *reinterpret_cast<__nv_bfloat162*>(out + head + (size_t)(q0 + g + h * 8) * D + d * 8 + c) = __floats2bfloat162_rn(acc[d][2 * h] * by, acc[d][2 * h + 1] * by);
    }
}
