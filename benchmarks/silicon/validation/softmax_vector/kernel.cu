// Row-wise softmax in FP32 with 128-bit accesses, one block a row.
// With KEEP the row stays in registers between the passes; without, it is read three times.
__device__ float reduce(float v, float* scratch, bool largest) {
    for (int o = 16; o; o >>= 1) {
        float w = __shfl_xor_sync(~0u, v, o);
        v = largest ? fmaxf(v, w) : v + w;
    }
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
    __syncthreads();
    v = scratch[0];
    for (int i = 1; i < BLOCK_SIZE / 32; ++i) v = largest ? fmaxf(v, scratch[i]) : v + scratch[i];
    __syncthreads();
    return v;
}

extern "C" __global__ void softmax_vector(const float4* __restrict__ input, float4* __restrict__ output) {
    constexpr int vectors = COLUMNS / 4, each = vectors / BLOCK_SIZE;
    __shared__ float scratch[BLOCK_SIZE / 32];
    const float4* row = input + (size_t)blockIdx.x * vectors;
    float4* to = output + (size_t)blockIdx.x * vectors;
    float4 kept[KEEP ? each : 1];
    float top = -1e30f, sum = 0.0f;
#pragma unroll
    for (int i = 0; i < each; ++i) {
        float4 v = row[threadIdx.x + i * BLOCK_SIZE];
        if (KEEP) kept[i] = v;
        top = fmaxf(top, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
    top = reduce(top, scratch, true);
#pragma unroll
    for (int i = 0; i < each; ++i) {
        float4 v = KEEP ? kept[i] : row[threadIdx.x + i * BLOCK_SIZE];
        v = make_float4(__expf(v.x - top), __expf(v.y - top), __expf(v.z - top), __expf(v.w - top));
        if (KEEP) kept[i] = v;
        sum += (v.x + v.y) + (v.z + v.w);
    }
    float scale = 1.0f / reduce(sum, scratch, false);
#pragma unroll
    for (int i = 0; i < each; ++i) {
        float4 v = KEEP ? kept[i] : row[threadIdx.x + i * BLOCK_SIZE];
        if (!KEEP) v = make_float4(__expf(v.x - top), __expf(v.y - top), __expf(v.z - top), __expf(v.w - top));
        to[threadIdx.x + i * BLOCK_SIZE] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
    }
}
