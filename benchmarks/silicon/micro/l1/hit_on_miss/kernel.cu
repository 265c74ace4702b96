// Each warp walks lines of its own, which L1 does not hold: of each line one load, and MORE loads of the same words in another
// order of lanes, while the first is under way (WAIT 0) or after it is there (1). With SHIFT each load touches two lines.
extern "C" __global__ void hit_on_miss(const float* __restrict__ data, float* __restrict__ sink, int steps) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const float* at = data + (size_t)warp * steps * 64 + SHIFT * 16;
    float sum = 0;
#pragma unroll 1
    for (int s = 0; s < steps; ++s, at += 64) {
        float first = __ldca(at + lane);
        const float* from = at;
        if (WAIT) from += first == 123456.0f;
        float x[MORE + 1];
        x[0] = first;
#pragma unroll
        for (int k = 1; k <= MORE; ++k) x[k] = __ldca(from + (lane ^ k));
#pragma unroll
        for (int k = 0; k <= MORE; ++k) sum += x[k];
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
