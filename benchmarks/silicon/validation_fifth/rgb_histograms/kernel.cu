// Counts of 256 values in each of three channels, pixels of four bytes; a warp counts in one of COPIES copies.
extern "C" __global__ void __launch_bounds__(256)
rgb_histograms(const unsigned* __restrict__ pixels, unsigned* __restrict__ bins)
{
    __shared__ unsigned counts[COPIES][768];
    const int t = threadIdx.x;
    for (int i = t; i < COPIES * 768; i += 256) (&counts[0][0])[i] = 0;
    __syncthreads();
    unsigned* mine = counts[t / 32 % COPIES];
#pragma unroll 4
    for (int i = 0; i < EACH; ++i) {
        unsigned p = pixels[(blockIdx.x * EACH + i) * 256 + t];
        if (CROWDED) p = p & 0x070707 | 0x404040;
        atomicAdd(mine + (p & 255), 1u);
        atomicAdd(mine + 256 + (p >> 8 & 255), 1u);
        atomicAdd(mine + 512 + (p >> 16 & 255), 1u);
    }
    __syncthreads();
    for (int i = t; i < 768; i += 256) {
        unsigned sum = 0;
#pragma unroll
        for (int c = 0; c < COPIES; ++c) sum += counts[c][i];
        if (sum) atomicAdd(bins + i, sum);
    }
}
