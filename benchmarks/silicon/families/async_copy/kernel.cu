// Tiles copied to shared memory by cp.async (LDGSTS), STAGES of them in flight, then summed.
__device__ void copy_async(float4* shared, const float4* global) {
    unsigned address = (unsigned)__cvta_generic_to_shared(shared);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(global));
}

extern "C" __global__ void async_copy(const float4* __restrict__ input, float4* __restrict__ out, int tiles) {
    __shared__ float4 buffer[STAGES][BLOCK_SIZE];
    const float4* mine = input + (size_t)blockIdx.x * tiles * BLOCK_SIZE + threadIdx.x;
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        copy_async(&buffer[s][threadIdx.x], mine + s * BLOCK_SIZE);
        asm volatile("cp.async.commit_group;");
    }
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int t = 0; t < tiles; ++t) {
        int next = t + STAGES - 1;
        if (next < tiles) copy_async(&buffer[next % STAGES][threadIdx.x], mine + (size_t)next * BLOCK_SIZE);
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1));
        __syncthreads();
        float4 v = buffer[t % STAGES][threadIdx.x ^ 33];
        sum.x += v.x * 0.5f;
        sum.y += v.y * 0.25f;
        sum.z += v.z;
        sum.w += v.w;
        __syncthreads();
    }
    out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = sum;
}
