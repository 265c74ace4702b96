// ilp: CHAINS dependent chains of FMAs in each thread, as many warps on an SM as asked, long enough for its loop to count.
extern "C" __global__ void ilp(float* out, float scale, float offset)
{
    float chain[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) chain[c] = c;
#pragma unroll 32
    for (int step = 0; step < STEPS; ++step) {
#pragma unroll
        for (int c = 0; c < CHAINS; ++c) chain[c] = fmaf(chain[c], scale, offset);
    }
    float sum = 0.0f;
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) sum += chain[c];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
