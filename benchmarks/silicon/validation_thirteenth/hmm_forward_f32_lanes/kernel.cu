// Forward algorithm of a hidden Markov model, scaled at every step; a lane is a state.
constexpr int S = 32, STEPS = 64, SYMBOLS = 16;

extern "C" __global__ void __launch_bounds__(32 * WARPS)
hmm_forward_f32_lanes(const unsigned char* __restrict__ seen, const float* __restrict__ moves, const float* __restrict__ emits, float* __restrict__ likelihood)
{
    __shared__ float ms[KEPT ? 1 : S * S];
    __shared__ float es[SYMBOLS * S];
    alignas(16) __shared__ float as[SHUFFLED ? 1 : WARPS][SHUFFLED ? 1 : SEQS][SHUFFLED ? 4 : S];
    const int lane = threadIdx.x, w = threadIdx.y, t = w * 32 + lane, seq0 = (blockIdx.x * WARPS + w) * SEQS;
    for (int i = t; i < SYMBOLS * S; i += 32 * WARPS) es[i] = emits[i] + 0.01f;
    float m[KEPT ? S : 1];
    if (KEPT) {
#pragma unroll
        for (int k = 0; k < S; ++k) m[KEPT ? k : 0] = moves[k * S + lane] + 0.01f;
    } else
        for (int i = t; i < S * S; i += 32 * WARPS) ms[KEPT ? 0 : i] = moves[i] + 0.01f;
    __syncthreads();
    float alpha[SEQS], total[SEQS];
#pragma unroll
    for (int q = 0; q < SEQS; ++q) alpha[q] = 1.0f / S, total[q] = 0.0f;
#pragma unroll 1
    for (int step = 0; step < STEPS; ++step) {
        float next[SEQS] = {};
        if (!SHUFFLED) {
            __syncwarp();
#pragma unroll
            for (int q = 0; q < SEQS; ++q) as[SHUFFLED ? 0 : w][SHUFFLED ? 0 : q][SHUFFLED ? 0 : lane] = alpha[q];
            __syncwarp();
        }
#pragma unroll
        for (int k = 0; k < S; ++k) {
            const float f = KEPT ? m[KEPT ? k : 0] : ms[KEPT ? 0 : k * S + lane];
#pragma unroll
            for (int q = 0; q < SEQS; ++q)
                next[q] += f * (SHUFFLED ? __shfl_sync(~0u, alpha[q], k) : as[SHUFFLED ? 0 : w][SHUFFLED ? 0 : q][SHUFFLED ? 0 : k]);
        }
#pragma unroll
        for (int q = 0; q < SEQS; ++q) {
            next[q] *= es[(seen[(seq0 + q) * STEPS + step] & 15) * S + lane];
            float sum = next[q];
#pragma unroll
            for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
            alpha[q] = __fdividef(next[q], sum);
            total[q] += __logf(sum);
        }
    }
#pragma unroll
    for (int q = 0; q < SEQS; ++q)
        if (lane == 0) likelihood[seq0 + q] = total[q];
}
