// Which warps of one SM are where while each thread walks its own slice of n floats: the SM clock of each warp of SM 0 at
// the beginning and after every eighth of the slice. The chain is the published one (families of validation: rsqrt_private).
#define MARKS 9
extern "C" __global__ void private_phases(const float* __restrict__ input, float* __restrict__ out,
                                          unsigned long long* __restrict__ trace, int n) {
    unsigned long long clocks[MARKS];
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    const int thread = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    const float* slice = input + (size_t)thread * n;
    const int part = n / (MARKS - 1);
    float acc = 0;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(clocks[0])::"memory");
#pragma unroll
    for (int mark = 1; mark < MARKS; ++mark) {
#pragma unroll UNROLL
        for (int i = 0; i < part; ++i) {
            const float x = slice[(mark - 1) * part + i], r = rsqrtf(x + 1.0f);
            acc += r;
            acc *= .99f;
            acc += x * .5f;
            acc -= x * .1f;
            acc *= 1.01f;
            acc += x * x * .01f;
            acc -= r * .5f;
            acc += .001f;
        }
        asm volatile("mov.u64 %0, %%clock64;" : "=l"(clocks[mark])::"memory");
    }
    out[thread] = acc;
    if (sm == 0 && threadIdx.x % 32 == 0)
        for (int k = 0; k < MARKS; ++k) trace[thread / 32 * MARKS + k] = clocks[k];
}
