// Gravitational potential of FP64 bodies, EACH bodies a thread; sources from shared memory or not, roots exact or from a single and two Newton steps.
constexpr int N = 8192, TILE = 128;

extern "C" __global__ void __launch_bounds__(THREADS)
gravity_potential_f64_each(const double* __restrict__ body, double* __restrict__ potential)
{
    alignas(16) __shared__ double tile[STAGED ? TILE : 1][4];
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x, start = blockIdx.y * (N / 8);
    double x[EACH], y[EACH], z[EACH], sum[EACH] = {};
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        x[e] = body[4 * (first + e * THREADS)];
        y[e] = body[4 * (first + e * THREADS) + 1];
        z[e] = body[4 * (first + e * THREADS) + 2];
    }
#pragma unroll 1
    for (int t = 0; t < N / 8; t += TILE) {
        if (STAGED) {
            __syncthreads();
            for (int i = threadIdx.x; i < TILE * 4; i += THREADS) tile[STAGED ? i / 4 : 0][i % 4] = body[4 * (start + t) + i];
            __syncthreads();
        }
#pragma unroll 4
        for (int k = 0; k < TILE; ++k) {
            double s[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) s[i] = STAGED ? tile[STAGED ? k : 0][i] : body[4 * (start + t + k) + i];
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                const double dx = s[0] - x[e], dy = s[1] - y[e], dz = s[2] - z[e], d = dx * dx + dy * dy + dz * dz + 1.0e-4;
                double r;
                if (NEWTON) {
                    r = (double)rsqrtf((float)d);
                    r = r * (1.5 - 0.5 * d * r * r);
                    r = r * (1.5 - 0.5 * d * r * r);
                } else {
                    r = rsqrt(d);
                }
                sum[e] -= s[3] * r;
            }
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) potential[blockIdx.y * N + first + e * THREADS] = sum[e];
}
