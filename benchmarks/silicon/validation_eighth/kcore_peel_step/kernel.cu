// 262,144 vertices of 16 neighbours each; those with mark zero are removed.
extern "C" __global__ void __launch_bounds__(256)
kcore_peel_step(const int* __restrict__ mark, const int* __restrict__ neighbours, int* __restrict__ degree)
{
    const int i = blockIdx.x * 256 + threadIdx.x, vertex = i / LANES;
    if (mark[vertex]) return;
#pragma unroll
    for (int k = i % LANES; k < 16; k += LANES) {
        const int n = neighbours[vertex * 16 + k];
        if (!SKIP || mark[n]) atomicSub(degree + n, 1);
    }
}
