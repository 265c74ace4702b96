// 300 series of 8,192 samples and 128 more; a box begins at its sample. Samples have mean 1/2.
constexpr int LENGTH = 8192, ROW = 8320, SPAN = 256 * ITEMS, HALO = 1 << LEVELS, N = SPAN + HALO;

extern "C" __global__ void __launch_bounds__(256)
boxcar_pulse_search(const float* __restrict__ series, float* __restrict__ best, unsigned char* __restrict__ width)
{
    const float* from = series + (size_t)blockIdx.y * ROW + blockIdx.x * SPAN;
    float top[ITEMS];
    int level[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        top[i] = -1e30f;
        level[i] = 0;
    }
#if PREFIX
    constexpr int RUN = (N + 255) / 256;
    __shared__ float sums[RUN * 256 + 1];
    __shared__ float warps[8];
    for (int i = threadIdx.x; i < RUN * 256; i += 256) sums[i + 1] = i < N ? from[i] - 0.5f : 0.0f;
    __syncthreads();
    float run[RUN], sum = 0.0f;
#pragma unroll
    for (int r = 0; r < RUN; ++r) run[r] = sum += sums[threadIdx.x * RUN + r + 1];
    float scan = sum;
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const float other = __shfl_up_sync(0xffffffff, scan, d);
        if (lane >= d) scan += other;
    }
    if (lane == 31) warps[threadIdx.x / 32] = scan;
    __syncthreads();
    float before = scan - sum;
    for (int w = 0; w < threadIdx.x / 32; ++w) before += warps[w];
#pragma unroll
    for (int r = 0; r < RUN; ++r) sums[threadIdx.x * RUN + r + 1] = before + run[r];
    if (threadIdx.x == 0) sums[0] = 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const int t = i * 256 + threadIdx.x;
        const float base = sums[t];
#pragma unroll
        for (int l = 0; l <= LEVELS; ++l) {
            const float snr = (sums[t + (1 << l)] - base) * rsqrtf((float)(1 << l));
            if (snr > top[i]) {
                top[i] = snr;
                level[i] = l;
            }
        }
    }
#else
    __shared__ float sums[2][N];
    for (int i = threadIdx.x; i < N; i += 256) sums[0][i] = from[i] - 0.5f;
    __syncthreads();
#pragma unroll
    for (int l = 0; l <= LEVELS; ++l) {
        const float *in = sums[l % 2], factor = rsqrtf((float)(1 << l));
        float* out = sums[1 - l % 2];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const float snr = in[i * 256 + threadIdx.x] * factor;
            if (snr > top[i]) {
                top[i] = snr;
                level[i] = l;
            }
        }
        if (l < LEVELS) {
            for (int i = threadIdx.x; i <= N - (2 << l); i += 256) out[i] = in[i] + in[i + (1 << l)];
            __syncthreads();
        }
    }
#endif
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const size_t at = (size_t)blockIdx.y * LENGTH + blockIdx.x * SPAN + i * 256 + threadIdx.x;
        best[at] = top[i];
        width[at] = level[i];
    }
}
