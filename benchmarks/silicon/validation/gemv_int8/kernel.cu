// Matrix by vector with int8 weights and a scale a row: one block of 32 to 256 threads a row,
// VECTOR weights an access, converted and multiplied in FP32.
struct alignas(VECTOR) Pack { signed char v[VECTOR]; };

extern "C" __global__ void gemv_int8(const Pack* __restrict__ matrix, const float* __restrict__ x,
                                     const float* __restrict__ scales, float* __restrict__ y) {
    constexpr int vectors = 4096 / VECTOR, warps = THREADS_ROW / 32, unroll = UNROLL;
    __shared__ float part[warps];
    const Pack* row = matrix + (size_t)blockIdx.x * vectors;
    float sum = 0.0f;
#pragma unroll unroll
    for (int i = threadIdx.x; i < vectors; i += THREADS_ROW) {
        Pack w = row[i];
        float f[VECTOR];
#pragma unroll
        for (int k = 0; k < VECTOR; k += 4) *(float4*)(f + k) = *(const float4*)(x + i * VECTOR + k);
#pragma unroll
        for (int k = 0; k < VECTOR; ++k) sum = fmaf((float)w.v[k], f[k], sum);
    }
    for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(~0u, sum, o);
    if (warps > 1) {
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
        __syncthreads();
        sum = 0.0f;
        for (int w = 0; w < warps; ++w) sum += part[w];
    }
    if (threadIdx.x == 0) y[blockIdx.x] = sum * scales[blockIdx.x];
}
