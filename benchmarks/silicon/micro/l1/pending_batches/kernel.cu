// How many loads of an SM wait for lines on their way. Each round a warp asks for LINES lines that nobody has read, and
// loads each of them PER times, in another order of lanes each time, before it waits for any. PAST: past L1.
extern "C" __global__ void pending_batches(const float* __restrict__ data, float* __restrict__ out, int rounds, int stride) {
    const int lane = threadIdx.x % 32;
    const float* at = data + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) / 32 * LINES * 32;
    float sum = 0.0f;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r, at += stride) {
        float x[LINES * PER];
#pragma unroll
        for (int k = 0; k < PER; ++k)
#pragma unroll
            for (int i = 0; i < LINES; ++i) {
                const float* word = at + i * 32 + (lane ^ k);
                if (PAST) asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(x[k * LINES + i]) : "l"(word));
                else asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(x[k * LINES + i]) : "l"(word));
            }
#pragma unroll
        for (int k = 0; k < LINES * PER; ++k) sum += x[k];
    }
    if (sum == 12345.0f) out[0] = sum;
}
