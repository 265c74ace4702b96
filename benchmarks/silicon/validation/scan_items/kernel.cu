// Inclusive scan of a block: ITEMS in a row a thread, then warps by shuffles, then the warps' sums.
// EXCHANGE goes through shared memory so that accesses to memory are coalesced.
extern "C" __global__ void scan_items(const float* __restrict__ input, float* __restrict__ output) {
    constexpr int tile = ITEMS * BLOCK_SIZE, warps = BLOCK_SIZE / 32;
    __shared__ float stage[EXCHANGE ? tile : 1], sums[warps];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const float* from = input + (size_t)blockIdx.x * tile;
    float* to = output + (size_t)blockIdx.x * tile;
    float v[ITEMS];
    if (EXCHANGE) {
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) stage[t + k * BLOCK_SIZE] = from[t + k * BLOCK_SIZE];
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) v[k] = EXCHANGE ? stage[t * ITEMS + k] : from[t * ITEMS + k];
#pragma unroll
    for (int k = 1; k < ITEMS; ++k) v[k] += v[k - 1];
    float total = v[ITEMS - 1];
#pragma unroll
    for (int o = 1; o < 32; o *= 2) {
        float other = __shfl_up_sync(~0u, total, o);
        if (lane >= o) total += other;
    }
    if (lane == 31) sums[warp] = total;
    __syncthreads();
    float before = total - v[ITEMS - 1];
    for (int w = 0; w < warp; ++w) before += sums[w];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        if (EXCHANGE)
            stage[t * ITEMS + k] = v[k] + before;
        else
            to[t * ITEMS + k] = v[k] + before;
    }
    if (EXCHANGE) {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) to[t + k * BLOCK_SIZE] = stage[t + k * BLOCK_SIZE];
    }
}
