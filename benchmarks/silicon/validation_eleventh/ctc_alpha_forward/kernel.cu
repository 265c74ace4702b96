// Forward sums of CTC over 128 frames for labels of 31 symbols, so 63 states; a warp has two states a lane (0), or a
// state has a thread and states go through shared memory (1).
constexpr int FRAMES = 128, SYMBOLS = 64, LABELS = 31;

__device__ __forceinline__ float log_sum(float a, float b)
{
    const float top = fmaxf(a, b), low = fminf(a, b);
    return top + (FAST ? __logf(1.0f + __expf(low - top)) : log1pf(expf(low - top)));
}

extern "C" __global__ void __launch_bounds__(PER * (SHARED ? 64 : 32))
ctc_alpha_forward(const float* __restrict__ logp, const int* __restrict__ label, float* __restrict__ loss)
{
    __shared__ float states[SHARED ? 2 : 1][PER][SHARED ? 66 : 1];
    constexpr int LANES = SHARED ? 64 : 32;
    const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES, sample = blockIdx.x * PER + group;
    const float* from = logp + (size_t)sample * FRAMES * SYMBOLS;
    const int* symbols = label + sample * LABELS;
    if (SHARED) {
        const bool odd = lane & 1;
        const int own = odd && lane / 2 < LABELS ? symbols[lane / 2] : 0;
        const bool skip = odd && lane > 1 && lane < 63 && own != symbols[lane / 2 - 1];
        float a = lane < 2 ? -from[own] : -1.0e30f;
        if (lane < 2) states[0][group][SHARED ? lane : 0] = states[SHARED ? 1 : 0][group][SHARED ? lane : 0] = -1.0e30f;
#pragma unroll 2
        for (int t = 1; t < FRAMES; ++t) {
            float* s = states[SHARED ? t & 1 : 0][group];
            s[SHARED ? lane + 2 : 0] = a;
            __syncthreads();
            float next = log_sum(a, s[SHARED ? lane + 1 : 0]);
            if (skip) next = log_sum(next, s[SHARED ? lane : 0]);
            a = next - from[t * SYMBOLS + own];
        }
        __syncthreads();
        states[0][group][SHARED ? lane + 2 : 0] = a;
        __syncthreads();
        if (lane == 0) loss[sample] = -log_sum(states[0][group][SHARED ? 64 : 0], states[0][group][SHARED ? 63 : 0]);
    } else {
        const int own = lane < LABELS ? symbols[lane] : 0, before = __shfl_up_sync(~0u, own, 1);
        const bool skip = lane > 0 && lane < LABELS && own != before;
        float blank = lane == 0 ? -from[0] : -1.0e30f, a = lane == 0 ? -from[own] : -1.0e30f;
#pragma unroll 2
        for (int t = 1; t < FRAMES; ++t) {
            float last = __shfl_up_sync(~0u, a, 1);
            if (lane == 0) last = -1.0e30f;
            const float b = log_sum(blank, last);
            float next = log_sum(a, blank);
            if (skip) next = log_sum(next, last);
            blank = b - from[t * SYMBOLS];
            a = next - from[t * SYMBOLS + own];
        }
        const float last = __shfl_up_sync(~0u, a, 1);
        if (lane == 31) loss[sample] = -log_sum(blank, last);
    }
}
