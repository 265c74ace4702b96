// Constants of which a register holds the index, alike in all lanes (ULDC): rounds of 16, STRIDE words apart from each other,
// which go through SPAN words. GROUPS of blocks begin at different places.
__constant__ float table[8192];

extern "C" __global__ void __launch_bounds__(1024) indexed_constants(float* out, int rounds, int step) {
    float sum[4] = {};
    const float x = threadIdx.x;
    int at = blockIdx.x % GROUPS * (SPAN / GROUPS);
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int k = 0; k < 16; ++k) {
#pragma unroll
            for (int i = 0; i < ARITHMETIC; ++i) sum[i % 4] += table[at + k * STRIDE] * x;
        }
        at += step;
        if (at >= SPAN) at -= SPAN;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
}
