// Scales for 64 numbers each; LOOKUP 0 is shared memory, 1 a shuffle from the lane with the level, 2 a cubic.
struct alignas(VEC * 4) Pack { unsigned v[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
gemv_lut4_rows(const Pack* __restrict__ w, const float* __restrict__ scale, const float* __restrict__ levels,
               const float4* __restrict__ x, float* __restrict__ y)
{
    __shared__ float table[16];
    const int lane = threadIdx.x, row = (blockIdx.x * 8 + threadIdx.y) * EACH;
    const float level = levels[lane % 16];
    if (LOOKUP == 0) {
        if (threadIdx.y == 0 && lane < 16) table[lane] = level;
        __syncthreads();
    }
    const float c0 = levels[0], c1 = levels[1], c2 = levels[2], c3 = levels[3];
    auto value = [&](unsigned q) {
        if (LOOKUP == 0) return table[q];
        if (LOOKUP == 1) return __shfl_sync(~0u, level, q);
        const float f = q - 7.5f;
        return ((c3 * f + c2) * f + c1) * f + c0;
    };
    float acc[EACH] = {};
#pragma unroll 2
    for (int i = lane; i < 512 / VEC; i += 32) {
        Pack p[EACH];
        float s[EACH];
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            p[e] = w[(row + e) * (512 / VEC) + i];
            s[e] = scale[(row + e) * 64 + i * VEC / 8];
        }
        float part[EACH] = {};
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const float4 a = x[(i * VEC + j) * 2], b = x[(i * VEC + j) * 2 + 1];
            const float v[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
            for (int e = 0; e < EACH; ++e)
#pragma unroll
                for (int k = 0; k < 8; ++k) part[e] += v[k] * value(p[e].v[j] >> 4 * k & 15);
        }
#pragma unroll
        for (int e = 0; e < EACH; ++e) acc[e] += s[e] * part[e];
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
#pragma unroll
        for (int d = 16; d; d >>= 1) acc[e] += __shfl_xor_sync(~0u, acc[e], d);
        if (lane == e) y[row + e] = acc[e];
    }
}
