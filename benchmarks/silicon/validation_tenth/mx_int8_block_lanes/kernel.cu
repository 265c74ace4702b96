// With SMALL off a pair of halves is one number. A lane has 32 / LANES numbers side by side, read four at a time; bf16 numbers are read as halves of words.
constexpr int OWN = 32 / LANES;

extern "C" __global__ void __launch_bounds__(256)
mx_int8_block_lanes(const uint2* __restrict__ x, unsigned* __restrict__ q, unsigned char* __restrict__ power)
{
    float f[EACH][OWN];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int id = (blockIdx.x * EACH + e) * 256 + threadIdx.x;
#pragma unroll
        for (int i = 0; i < OWN / 4; ++i) {
            if (SMALL) {
                const uint2 p = x[(size_t)id * (OWN / 4) + i];
                f[e][4 * i] = __uint_as_float(p.x << 16);
                f[e][4 * i + 1] = __uint_as_float(p.x & 0xffff0000u);
                f[e][4 * i + 2] = __uint_as_float(p.y << 16);
                f[e][4 * i + 3] = __uint_as_float(p.y & 0xffff0000u);
            } else {
                const float4 p = reinterpret_cast<const float4*>(x)[(size_t)id * (OWN / 4) + i];
                f[e][4 * i] = p.x;
                f[e][4 * i + 1] = p.y;
                f[e][4 * i + 2] = p.z;
                f[e][4 * i + 3] = p.w;
            }
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int id = (blockIdx.x * EACH + e) * 256 + threadIdx.x;
        float top = 1.0e-30f;
#pragma unroll
        for (int i = 0; i < OWN; ++i) top = fmaxf(top, fabsf(f[e][i]));
#pragma unroll
        for (int d = LANES / 2; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
        const int raised = (__float_as_int(top) >> 23) - 5;
        const float by = __int_as_float((254 - raised) << 23);
#pragma unroll
        for (int i = 0; i < OWN / 4; ++i) {
            unsigned w = 0;
#pragma unroll
            for (int j = 0; j < 4; ++j) w |= (__float2int_rn(fminf(fmaxf(f[e][4 * i + j] * by, -127.0f), 127.0f)) & 255u) << 8 * j;
            q[id * (OWN / 4) + i] = w;
        }
        if (id % LANES == 0) power[id / LANES] = raised;
    }
}
