// Cycles of mma.sync m16n8k16, like operation_chain.
extern "C" __global__ void tensor_chain(long long* __restrict__ cycles, float* __restrict__ sink, unsigned a, unsigned b) {
    float x[CHAINS][4] = {};
    long long first = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        first = clock64();
#pragma unroll 1
        for (int r = 0; r < 16; ++r) {
#pragma unroll
            for (int k = 0; k < 16; ++k)
#pragma unroll
                for (int c = 0; c < CHAINS; ++c)
                    asm volatile(
                        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %4, %5}, "
                        "{%4, %5}, {%0, %1, %2, %3};"
                        : "+f"(x[c][0]), "+f"(x[c][1]), "+f"(x[c][2]), "+f"(x[c][3])
                        : "r"(a), "r"(b));
        }
    }
    cycles[blockIdx.x * blockDim.x + threadIdx.x] = clock64() - first;
    float sum = 0.0f;
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) sum += x[c][0] + x[c][1] + x[c][2] + x[c][3];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
