// How many loads of an SM may wait for lines on their way, when DRAM is busy and when it is not. Each round a warp loads
// SECTORS sectors of each of LINES lines that L1 does not hold, PER times in another order of lanes, before it waits for
// any. Only SMs below SMS take part. RESIDENT: the lines are those of a part of the buffer that L2 holds.
extern "C" __global__ void pending_room(const float* __restrict__ data, float* __restrict__ out, int rounds) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (sm >= SMS) return;
    const int lane = threadIdx.x % 32;
    const size_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const size_t stride = (size_t)gridDim.x * blockDim.x / 32 * LINES * 32;
    float sum = 0.0f;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        const float* at = data + (RESIDENT ? r % 4 : r) * stride + warp * LINES * 32;
        float x[LINES * PER];
#pragma unroll
        for (int k = 0; k < PER; ++k)
#pragma unroll
            for (int i = 0; i < LINES; ++i)
                asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(x[k * LINES + i]) : "l"(at + i * 32 + (lane % (SECTORS * 8) ^ k)));
#pragma unroll
        for (int k = 0; k < LINES * PER; ++k) sum += x[k];
    }
    if (sum == 12345.0f) out[0] = sum;
}
