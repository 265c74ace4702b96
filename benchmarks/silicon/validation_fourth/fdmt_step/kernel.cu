// A merging step of the fast dispersion measure transform: sums of two neighbouring bands, the second one delayed by
// half of the delay over both. EACH times a thread, DELAYS_EACH delays after each other.
constexpr int TIMES = 8192;

extern "C" __global__ void fdmt_step(const float* __restrict__ in, float* __restrict__ out)
{
    const int t0 = blockIdx.x * THREADS * EACH + threadIdx.x, band = blockIdx.z;
    for (int e = 0; e < DELAYS_EACH; ++e) {
        const int delay = blockIdx.y * DELAYS_EACH + e, half = delay / 2, rest = (delay + 1) / 2;
        const float* a = in + ((size_t)2 * band * DELAYS + min(half, DELAYS - 1)) * TIMES;
        const float* b = in + ((size_t)(2 * band + 1) * DELAYS + min(rest, DELAYS - 1)) * TIMES;
        float* to = out + ((size_t)band * 2 * DELAYS + delay) * TIMES;
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            const int t = t0 + i * THREADS;
            to[t] = a[t] + (t >= half ? b[t - half] : 0.0f);
        }
    }
}
