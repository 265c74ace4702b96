// Which warps of one SM are where: the SM clock of each warp of SM 0 at a few places of a kernel.
// KIND 0: a convolution as in families/convolution_argument: begin, loads done, behind the barrier, sums done, end.
// KIND 1: FFMAs as in families/waves: begin, and after every LENGTH steps of two.
// KIND 2: rounds of STEPS loads from shared memory and as many FFMAs, a chain each: begin, and after every LENGTH rounds.
// KIND 3: the same from global memory that L1 holds.
#define MARKS 6
extern "C" __global__ void phase_trace(const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ out,
                                       unsigned long long* __restrict__ trace, int taps, float a, float b) {
    extern __shared__ float tile[];
    unsigned long long clocks[MARKS];
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
#define MARK(k) asm volatile("mov.u64 %0, %%clock64;" : "=l"(clocks[k])::"memory")
    MARK(0);
    float result = 0;
    if (KIND == 0) {
        const int first = blockIdx.x * (BLOCK_SIZE * 4);
        for (int i = threadIdx.x; i < BLOCK_SIZE * 4 + taps; i += BLOCK_SIZE) tile[i] = input[first + i];
        MARK(1);
        __syncthreads();
        MARK(2);
        float sum[4] = {};
#pragma unroll STEPS
        for (int k = 0; k < taps; ++k) {
            const float w = weights[k];
#pragma unroll
            for (int o = 0; o < 4; ++o) sum[o] += w * tile[threadIdx.x + o * BLOCK_SIZE + k];
        }
        MARK(3);
#pragma unroll
        for (int o = 0; o < 4; ++o) out[first + o * BLOCK_SIZE + threadIdx.x] = sum[o];
        MARK(4);
        MARK(5);
    } else if (KIND == 1) {
        float x = threadIdx.x, y = blockIdx.x;
#pragma unroll
        for (int mark = 1; mark < MARKS; ++mark) {
#pragma unroll
            for (int k = 0; k < LENGTH; ++k) {
                x = x * a + b;
                y = y * b + a;
            }
            MARK(mark);
        }
        result = x + y;
    } else {
        for (int i = threadIdx.x; i < 1024; i += BLOCK_SIZE) tile[i] = input[i];
        __syncthreads();
        const float* source = KIND == 2 ? tile : input;
        float sum[STEPS] = {};
#pragma unroll
        for (int mark = 1; mark < MARKS; ++mark) {
#pragma unroll 1
            for (int k = 0; k < LENGTH; ++k) {
                float v[STEPS];
#pragma unroll
                for (int u = 0; u < STEPS; ++u) v[u] = source[(threadIdx.x + u * 64 + k * STEPS) & 1023];
#pragma unroll
                for (int u = 0; u < STEPS; ++u) sum[u] = sum[u] * a + v[u];
            }
            MARK(mark);
        }
#pragma unroll
        for (int u = 0; u < STEPS; ++u) result += sum[u];
    }
    if (KIND > 0) out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = result;
    const int warp = blockIdx.x * (BLOCK_SIZE / 32) + threadIdx.x / 32;
    if (sm == 0 && threadIdx.x % 32 == 0)
        for (int k = 0; k < MARKS; ++k) trace[warp * MARKS + k] = clocks[k];
}
