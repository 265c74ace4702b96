// Cycles of a loop whose body lies behind a branch that no lane passes (LANES 0), all (1), every other (2), the first (3), or
// all but the first four (4); with BOTH 1 the other lanes have a body of their own. A body is LENGTH dependent FMAs and a shared store, too long to predicate.
__device__ __forceinline__ float body(float x, float a, unsigned shared) {
#pragma unroll
    for (int k = 0; k < LENGTH; ++k) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(a));
    asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(shared), "f"(x));
    return x;
}

extern "C" __global__ void divergence(long long* __restrict__ cycles, float* __restrict__ sink, float a, int steps) {
    __shared__ float room[1024];
    unsigned shared = (unsigned)__cvta_generic_to_shared(room) + threadIdx.x * 4;
    float x = threadIdx.x, y = x;
    bool inside = LANES == 1 || (LANES == 2 && threadIdx.x % 2) || (LANES == 3 && threadIdx.x % 32 == 0) ||
                  (LANES == 4 && threadIdx.x % 32 > 3);
    if (a == 7.0f) inside = !inside;
    long long first = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        first = clock64();
#pragma unroll 1
        for (int s = 0; s < steps; ++s) {
            if (inside) x = body(x, a, shared);
#if BOTH
            else y = body(y, a, shared);
#endif
        }
    }
    cycles[threadIdx.x] = clock64() - first;
    sink[threadIdx.x] = x + y;
}
