// Warps of a block begin together to store, 24 times in a row, a word of each lane, STRIDE words apart. The SM's clock is read behind
// every EVERY of them: whose turn it is where the queues are full.
extern "C" __global__ void __launch_bounds__(WARPS * 32) store_turns(float* out, unsigned* trace) {
    constexpr int STORES = 24, READINGS = STORES / EVERY;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float* to = out + (size_t)warp * STORES * 32 + lane * STRIDE;
    unsigned clocks[READINGS], slot;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
    __syncthreads();
#pragma unroll
    for (int i = 0; i < STORES; ++i) {
        asm volatile("st.global.f32 [%0], %1;" ::"l"(to + i / STRIDE * STRIDE * 32 + i % STRIDE), "f"(1.0f));
        if (i % EVERY == EVERY - 1) asm volatile("mov.u32 %0, %%clock;" : "=r"(clocks[i / EVERY]));
    }
    if (lane == 0) {
        trace[warp * (READINGS + 1)] = slot;
#pragma unroll
        for (int i = 0; i < READINGS; ++i) trace[warp * (READINGS + 1) + 1 + i] = clocks[i];
    }
}
