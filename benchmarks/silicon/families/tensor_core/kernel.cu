// CHAINS chains of mma.sync m16n8k16 (half inputs, float accumulators) in registers.
extern "C" __global__ void tensor_core(float* __restrict__ out, unsigned a, unsigned b, int steps) {
    constexpr int unroll = UNROLL;
    float c[CHAINS][4] = {};
#pragma unroll unroll
    for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int k = 0; k < CHAINS; ++k)
            asm volatile(
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %4, %5}, {%6, %7}, "
                "{%0, %1, %2, %3};"
                : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3])
                : "r"(a), "r"(b), "r"(b), "r"(a));
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < CHAINS; ++k) sum += c[k][0] + c[k][1] + c[k][2] + c[k][3];
    out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = sum;
}
