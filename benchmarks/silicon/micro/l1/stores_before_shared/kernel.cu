// Whether accesses to global memory that wait hold up what else passes the data stage. Half of the warps (one of two of
// each scheduler) keep the way to memory busy: STREAM 1 stores lines, 2 stores 128 bits a lane, 3 stores to 32 lines,
// 4 loads lines from DRAM, 5 loads lines on their way, 6 adds to lines. The others do one thing after the other: CHAIN 1 shuffles,
// 2 loads from and 3 stores to shared memory.
extern "C" __global__ void __launch_bounds__(256) stores_before_shared(float* __restrict__ data, float* __restrict__ out, int streams, int chains) {
    __shared__ int words[64];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x < 64) words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (warp < 4) {
        int x = lane;
#pragma unroll 1
        for (int r = 0; r < chains; ++r)
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                if (CHAIN == 1) x = __shfl_xor_sync(~0u, x, 1);
                if (CHAIN == 2) x = *(volatile int*)&words[x];
                if (CHAIN == 3) *(volatile int*)&words[lane] = x;
            }
        if (x == -12345) out[1] = x;
        return;
    }
    const size_t own = (size_t)blockIdx.x * 4 + warp - 4, all = (size_t)gridDim.x * 4;
    float sum = 0.0f;
#pragma unroll 1
    for (int r = 0; r < streams; ++r) {
        if (STREAM == 1) {
            float* at = data + (r % 2 * all + own) * 8 * 32 + lane;
#pragma unroll
            for (int k = 0; k < 8; ++k) *(volatile float*)(at + k * 32) = r;
        }
        if (STREAM == 2) {
            float4* at = (float4*)(data + (r % 3 * all + own) * 8 * 128) + lane;
#pragma unroll
            for (int k = 0; k < 8; ++k) at[k * 32] = make_float4(r, r, r, r);
        }
        if (STREAM == 3) {
            float* at = data + (r % 12 * all + own) * 8 * 32 + lane * 8;
#pragma unroll
            for (int k = 0; k < 8; ++k) *(volatile float*)(at + k * 7919 % 64 * 256) = r;
        }
        if (STREAM == 6) atomicAdd(data + (r % 12 * all + own) * 32 + lane, 1.0f);
        if (STREAM == 4 || STREAM == 5) {
            const float* at = data + ((STREAM == 4 ? r : r % 6) * all + own) * 16 * 32;
            float x[16];
#pragma unroll
            for (int k = 0; k < 16; ++k)
                asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(x[k]) : "l"(STREAM == 4 ? at + k * 32 + lane : at + k % 4 * 32 + (lane ^ k / 4)));
#pragma unroll
            for (int k = 0; k < 16; ++k) sum += x[k];
        }
    }
    if (sum == 12345.0f) out[0] = sum;
}
