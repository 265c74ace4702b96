// The SM clock before each of 24 short stretches of straight-line code: which warp a scheduler issues, cycle by cycle.
// A stretch is LENGTH operations on CHAINS independent chains.
// KIND 0: FFMA x * a + b; 1: FFMA of three registers of its own each, x * y[i] + z[i]; 2: IMAD (half rate);
// 3: FFMA with a special function first; 4: FFMA with a load from shared memory first; 5: FFMA in a loop of four rounds;
// 6 and more: LENGTH loads from shared memory, then KIND - 5 FFMAs with each.
extern "C" __global__ void issue_trace(const float* __restrict__ data, unsigned long long* __restrict__ trace, float* __restrict__ sink, int rounds) {
    __shared__ float table[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) table[i] = data[i];
    float x[CHAINS], y[CHAINS], z[CHAINS];
    int k[CHAINS];
    for (int c = 0; c < CHAINS; ++c) {
        x[c] = threadIdx.x + c;
        y[c] = data[threadIdx.x % 32 + c];
        z[c] = data[threadIdx.x % 16 + c + 40];
        k[c] = threadIdx.x * 7 + c;
    }
    const float a = data[threadIdx.x % 32 + 100], b = data[threadIdx.x % 32 + 101];
    const int at = threadIdx.x % 32;
    unsigned long long clocks[25];
#pragma unroll 1
    for (int pass = 0; pass < 3; ++pass) {
        __syncthreads();
#pragma unroll
        for (int stretch = 0; stretch < 25; ++stretch) {
            asm volatile("mov.u64 %0, %%clock64;" : "=l"(clocks[stretch])::"memory");
            if (stretch == 24) break;
            if (KIND >= 6) {
                float v[LENGTH];
#pragma unroll
                for (int u = 0; u < LENGTH; ++u) asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v[u]) : "r"((unsigned)__cvta_generic_to_shared(&table[(at + stretch * 8 + u) ])) : "memory");
#pragma unroll
                for (int r = 0; r < KIND - 5; ++r)
#pragma unroll
                    for (int u = 0; u < LENGTH; ++u) asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(x[u % CHAINS]) : "f"(v[u]), "f"(a));
                continue;
            }
            if (KIND == 3) x[0] = rsqrtf(x[0]);
            if (KIND == 4) x[0] += table[(at + stretch) & 1023];
#pragma unroll 1
            for (int r = 0; r < (KIND == 5 ? rounds : 1); ++r) {
#pragma unroll
                for (int u = 0; u < LENGTH; ++u) {
                    const int c = u % CHAINS;
                    if (KIND == 2) asm volatile("mad.lo.s32 %0, %0, %1, %0;" : "+r"(k[c]) : "r"(at));
                    else if (KIND == 1) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[c]) : "f"(y[c]), "f"(z[c]));
                    else asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[c]) : "f"(a), "f"(b));
                }
            }
        }
    }
    float sum = 0;
    for (int c = 0; c < CHAINS; ++c) sum += x[c] + k[c];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (threadIdx.x % 32 == 0)
        for (int i = 0; i < 25; ++i) trace[threadIdx.x / 32 * 25 + i] = clocks[i];
}
