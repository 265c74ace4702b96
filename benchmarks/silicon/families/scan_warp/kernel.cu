// Inclusive scan of a block: ITEMS a thread, shuffles in the warp, one shared word a warp.
extern "C" __global__ void scan_warp(const float* __restrict__ input, float* __restrict__ out) {
    __shared__ float totals[32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    size_t first = ((size_t)blockIdx.x * BLOCK_SIZE + threadIdx.x) * ITEMS;
    float item[ITEMS];
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) item[k] = sum += input[first + k];
    float prefix = sum;
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        float other = __shfl_up_sync(0xffffffffu, prefix, offset);
        if (lane >= offset) prefix += other;
    }
    if (lane == 31) totals[warp] = prefix;
    __syncthreads();
    if (warp == 0) {
        float total = lane < BLOCK_SIZE / 32 ? totals[lane] : 0.0f;
#pragma unroll
        for (int offset = 1; offset < 32; offset *= 2) {
            float other = __shfl_up_sync(0xffffffffu, total, offset);
            if (lane >= offset) total += other;
        }
        totals[lane] = total;
    }
    __syncthreads();
    float base = prefix - sum + (warp > 0 ? totals[warp - 1] : 0.0f);
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) out[first + k] = base + item[k];
}
