// Blocks copy tiles of 8 KiB to shared memory, one after another, and add for PAUSE additions after each; GROUP blocks that follow
// each other copy the same 64 tiles. COPIES: by cp.async past L1, or by loads past L1 and stores.
extern "C" __global__ void __launch_bounds__(THREADS) tiles_in_step(const float4* __restrict__ data, float* __restrict__ out) {
    extern __shared__ float4 tile[];
    constexpr int EACH = 512 / THREADS;
    const float4* from = data + (size_t)(blockIdx.x / GROUP) * 64 * 512 + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int t = 0; t < 64; ++t) {
#if COPIES
#pragma unroll
        for (int i = 0; i < EACH; ++i)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"((unsigned)__cvta_generic_to_shared(tile + i * THREADS + threadIdx.x)), "l"(from + t * 512 + i * THREADS) : "memory");
        asm volatile("cp.async.wait_all;" ::: "memory");
#else
        float4 v[EACH];
#pragma unroll
        for (int i = 0; i < EACH; ++i) v[i] = __ldcg(from + t * 512 + i * THREADS);
#pragma unroll
        for (int i = 0; i < EACH; ++i) tile[i * THREADS + threadIdx.x] = v[i];
#endif
        __syncthreads();
        sum += tile[(threadIdx.x * 7 + t) % 512].x;
#pragma unroll 8
        for (int i = 0; i < PAUSE; ++i) asm volatile("add.f32 %0, %0, %0;" : "+f"(sum));
        __syncthreads();
    }
    if (sum == 3.0f) *out = sum;
}
