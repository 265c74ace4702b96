// The bin is the exponent and the first bits of the mantissa; what is smaller goes to the first bin.
constexpr int BINS = 16 * FINE, SHIFT = FINE == 4 ? 21 : 19, TOP = (127 << (23 - SHIFT)), PACKS = 16777216 / VEC;
struct alignas(VEC * 4) Pack { unsigned u[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
histogram_f32_exponent_bins(const Pack* __restrict__ x, unsigned* __restrict__ bins)
{
    __shared__ unsigned own[COPIES][BINS + 1];
    for (int i = threadIdx.x; i < COPIES * (BINS + 1); i += THREADS) (&own[0][0])[i] = 0;
    __syncthreads();
    unsigned* mine = own[threadIdx.x % COPIES];
#pragma unroll 2
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < PACKS; i += 528 * THREADS) {
        const Pack p = x[i];
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const int bin = (int)((p.u[j] & 0x7fffffffu) >> SHIFT) - TOP + BINS;
            atomicAdd(mine + min(max(bin, 0), BINS - 1), 1u);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += THREADS) {
        unsigned sum = 0;
#pragma unroll
        for (int c = 0; c < COPIES; ++c) sum += own[c][i];
        if (sum) atomicAdd(bins + i, sum);
    }
}
