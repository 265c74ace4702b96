// Floating-strike lookback calls: each thread follows PATHS paths at once by Box-Muller from a xorshift, with their mirrors or not.
extern "C" __global__ void __launch_bounds__(THREADS)
lookback_option_paths_f32(const unsigned* __restrict__ seed, float* __restrict__ sums, int steps)
{
    __shared__ float parts[THREADS / 32];
    const int id = blockIdx.x * THREADS + threadIdx.x;
    constexpr int LINES = PATHS * (MIRRORED ? 2 : 1);
    unsigned s[PATHS];
    float x[LINES] = {}, least[LINES] = {};
#pragma unroll
    for (int p = 0; p < PATHS; ++p) s[p] = seed[id * PATHS + p] | 1u;
#pragma unroll 1
    for (int t = 0; t < steps; t += 2)
#pragma unroll
        for (int p = 0; p < PATHS; ++p) {
            unsigned u[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                s[p] ^= s[p] << 13;
                s[p] ^= s[p] >> 17;
                s[p] ^= s[p] << 5;
                u[i] = s[p];
            }
            const float a = (u[0] >> 8) * 5.9604645e-8f + 2.9802322e-8f, b = u[1] * 1.4629181e-9f;
            const float r = FAST ? sqrtf(-2.0f * __logf(a)) : sqrtf(-2.0f * logf(a));
            float z[2];
            if (FAST) __sincosf(b, z, z + 1);
            else sincosf(b, z, z + 1);
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const float step = 0.02f * r * z[i];
                x[p] += step - 0.0001f;
                least[p] = fminf(least[p], x[p]);
                if (MIRRORED) {
                    x[LINES - 1 - p] -= step + 0.0001f;
                    least[LINES - 1 - p] = fminf(least[LINES - 1 - p], x[LINES - 1 - p]);
                }
            }
        }
    float sum = 0.0f;
#pragma unroll
    for (int l = 0; l < LINES; ++l) sum += __expf(x[l]) - __expf(least[l]);
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < THREADS / 32; ++i) sum += parts[i];
        sums[blockIdx.x] = sum;
    }
}
