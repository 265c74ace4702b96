// Selective state space scan: a channel a thread with STATES states in registers; the rows of B and C that all channels
// share are read straight or staged in shared memory, 32 tokens at a time.
constexpr int LENGTH = 256, WIDTH = 2048;

__device__ __forceinline__ float softplus(float v) { return v > 20.0f ? v : log1pf(__expf(v)); }

extern "C" __global__ void __launch_bounds__(THREADS)
selective_scan(const float* __restrict__ u, const float* __restrict__ delta, const float* __restrict__ a,
               const float* __restrict__ b, const float* __restrict__ c, const float* __restrict__ d,
               float* __restrict__ y)
{
    const int channel = blockIdx.x * THREADS + threadIdx.x, batch = blockIdx.y;
    float decay[STATES], state[STATES];
#pragma unroll
    for (int n = 0; n < STATES; ++n) {
        decay[n] = -a[channel * STATES + n] * 1.442695041f;
        state[n] = 0.0f;
    }
    const float skip = d[channel];
#if STAGED
    __shared__ float sb[32][STATES], sc[32][STATES];
#endif
    for (int t0 = 0; t0 < LENGTH; t0 += 32) {
#if STAGED
        __syncthreads();
        for (int i = threadIdx.x; i < 32 * STATES; i += THREADS) {
            sb[i / STATES][i % STATES] = b[(batch * LENGTH + t0) * STATES + i];
            sc[i / STATES][i % STATES] = c[(batch * LENGTH + t0) * STATES + i];
        }
        __syncthreads();
#endif
        for (int k = 0; k < 32; ++k) {
            const int t = batch * LENGTH + t0 + k;
            const float x = u[(size_t)t * WIDTH + channel];
            float dt = delta[(size_t)t * WIDTH + channel];
            if (SOFTPLUS) dt = softplus(dt);
            float sum = skip * x;
#pragma unroll
            for (int n = 0; n < STATES; ++n) {
#if STAGED
                const float bn = sb[k][n], cn = sc[k][n];
#else
                const float bn = b[t * STATES + n], cn = c[t * STATES + n];
#endif
                state[n] = exp2f(dt * decay[n]) * state[n] + dt * bn * x;
                sum += state[n] * cn;
            }
            y[(size_t)t * WIDTH + channel] = sum;
        }
    }
}
