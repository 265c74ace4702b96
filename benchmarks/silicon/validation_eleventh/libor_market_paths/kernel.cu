// Paths of a LIBOR market model with RATES forward rates; rates are in registers if loops are unrolled, else in local memory.
constexpr int PATHS = 131072;

extern "C" __global__ void __launch_bounds__(THREADS)
libor_market_paths(const float* __restrict__ normals, const float* __restrict__ volatility, float* __restrict__ value)
{
    __shared__ float vols[RATES];
    if (threadIdx.x < RATES) vols[threadIdx.x] = 0.1f + 0.2f * volatility[threadIdx.x];
    __syncthreads();
    const int path = blockIdx.x * THREADS + threadIdx.x;
    float rate[RATES];
    constexpr int U = UNROLLED ? RATES : 1;
#pragma unroll U
    for (int i = 0; i < RATES; ++i) rate[i] = 0.05f;
#pragma unroll U
    for (int n = 0; n < RATES / 2; ++n) {
        const float shock = 0.5f * normals[n * PATHS + path];
        float drift = 0.0f;
#pragma unroll U
        for (int i = 0; i < RATES; ++i)
            if (i > n) {
                const float v = vols[i - n - 1], c = 0.25f * v, a = c * rate[i];
                drift += FAST ? __fdividef(a, 1.0f + 0.25f * rate[i]) : a / (1.0f + 0.25f * rate[i]);
                const float x = c * drift + v * (shock - 0.125f * v);
                rate[i] *= FAST ? __expf(x) : expf(x);
            }
    }
    float bond = 1.0f, swap = 0.0f, sum = 0.0f;
#pragma unroll U
    for (int i = RATES / 2; i < RATES; ++i) {
        bond = FAST ? __fdividef(bond, 1.0f + 0.25f * rate[i]) : bond / (1.0f + 0.25f * rate[i]);
        swap += 0.25f * bond;
        sum += fmaxf(1.0f - bond - 0.05f * swap, 0.0f);
    }
    value[path] = sum;
}
