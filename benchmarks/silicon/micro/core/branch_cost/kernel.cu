// Cycles of a loop of WORK FMAs and a taken branch (KIND 0), with a forward branch taken by every warp (1), by every other
// lane (2), or a call of a function (3), in each pass; in the last kind (4) the counter is a register of each thread.
__device__ __noinline__ float twist(float x) { return x * 1.001f + 0.002f; }

extern "C" __global__ void branch_cost(long long* __restrict__ cycles, float* __restrict__ sink, float a, int steps,
                                       int zero) {
    float x = threadIdx.x;
    if (KIND == 4) steps += threadIdx.x >> 10;
    long long first = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        first = clock64();
#pragma unroll 1
        for (int s = 0; s < steps; ++s) {
#pragma unroll
            for (int k = 0; k < WORK; ++k) x = x * a + 0.001f;
#if KIND == 1
            if (s != zero) asm volatile("sin.approx.f32 %0, %0;" : "+f"(x));
#elif KIND == 2
            if (threadIdx.x & 1) asm volatile("sin.approx.f32 %0, %0;" : "+f"(x));
            else asm volatile("cos.approx.f32 %0, %0;" : "+f"(x));
#elif KIND == 3
            x = twist(x);
#endif
        }
    }
    cycles[blockIdx.x * blockDim.x + threadIdx.x] = clock64() - first;
    sink[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
