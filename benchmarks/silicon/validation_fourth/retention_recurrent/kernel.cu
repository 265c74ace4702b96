// Linear attention in its recurrent form: the state, keys by values, decays and takes up k times v at every token.
// LANES lanes a column of values, their part of the column in registers; tokens come in chunks through shared memory.
constexpr int DV = 64, TOKENS = 128, PER = DK / LANES, THREADS = DV * LANES;

extern "C" __global__ void __launch_bounds__(THREADS)
retention_recurrent(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                    const float* __restrict__ gates, float* __restrict__ out)
{
    __shared__ __align__(16) float sq[CHUNK][DK], sk[CHUNK][DK];
#if GATED
    __shared__ __align__(16) float sg[CHUNK][DK];
#endif
    const int head = blockIdx.x, column = threadIdx.x / LANES, part = threadIdx.x % LANES;
    const size_t base = (size_t)head * TOKENS;
    const float decay = 1.0f - exp2f(-5.0f - head % 8);
    float state[PER] = {};
    for (int t0 = 0; t0 < TOKENS; t0 += CHUNK) {
        __syncthreads();
        for (int i = threadIdx.x; i < CHUNK * DK / 4; i += THREADS) {
            const size_t at = (base + t0) * DK / 4 + i;
            reinterpret_cast<float4*>(sq)[i] = reinterpret_cast<const float4*>(q)[at];
            reinterpret_cast<float4*>(sk)[i] = reinterpret_cast<const float4*>(k)[at];
#if GATED
            reinterpret_cast<float4*>(sg)[i] = reinterpret_cast<const float4*>(gates)[at];
#endif
        }
        __syncthreads();
        float next = v[(base + t0) * DV + column];
        for (int t = 0; t < CHUNK; ++t) {
            const float value = next;
            if (t + 1 < CHUNK) next = v[(base + t0 + t + 1) * DV + column];
            float o = 0.0f;
#pragma unroll
            for (int i = 0; i < PER; ++i) {
                const int d = part * PER + i;
#if GATED
                state[i] = state[i] * sg[t][d] + sk[t][d] * value;
#else
                state[i] = state[i] * decay + sk[t][d] * value;
#endif
                o += state[i] * sq[t][d];
            }
            if (LANES == 2) o += __shfl_xor_sync(0xffffffff, o, 1);
            if (part == 0) out[(base + t0 + t) * DV + column] = o;
        }
    }
}
