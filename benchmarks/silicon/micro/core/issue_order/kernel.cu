// The SM clock at which each warp of a block ends each of eight stretches of the same work: which warps a scheduler prefers.
// KIND 0: FFMA, CHAINS independent chains; 1: the same with a load from shared memory before every eight; 2: with a load
// that hits L1; 3: IMAD (half rate); 4: with a special function before every eight.
extern "C" __global__ void issue_order(const float* __restrict__ data, unsigned* __restrict__ trace, float* __restrict__ sink, int steps) {
    __shared__ float table[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) table[i] = data[i];
    float x[CHAINS];
    int k[CHAINS];
    for (int c = 0; c < CHAINS; ++c) { x[c] = threadIdx.x + c; k[c] = threadIdx.x * 7 + c; }
    float a = data[threadIdx.x % 32];
    int at = threadIdx.x % 32;
    unsigned clocks[9];
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
#pragma unroll
        for (int stretch = 0; stretch < 9; ++stretch) {
            asm volatile("mov.u32 %0, %%clock;" : "=r"(clocks[stretch])::"memory");
            if (stretch == 8) break;
#pragma unroll 1
            for (int s = 0; s < steps; ++s) {
#pragma unroll
                for (int u = 0; u < BODY; ++u) {
                    if (KIND == 1 && u % 8 == 0) x[0] += table[(at + u) & 1023];
                    if (KIND == 2 && u % 8 == 0) x[0] += data[(at + u) & 1023];
                    if (KIND == 4 && u % 8 == 0) x[0] = rsqrtf(x[0]);
                    if (KIND == 3) k[u % CHAINS] = k[u % CHAINS] * at + k[u % CHAINS];
                    else x[u % CHAINS] = x[u % CHAINS] * a + a;
                }
                at += k[0] == 123456789;
            }
        }
    }
    float sum = 0;
    for (int c = 0; c < CHAINS; ++c) sum += x[c] + k[c];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (threadIdx.x % 32 == 0)
        for (int i = 0; i < 9; ++i) trace[warp * 9 + i] = clocks[i];
}
