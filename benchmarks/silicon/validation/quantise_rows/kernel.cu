// Quantisation to int8: the largest magnitude of a row gives its scale, then four values a store.
// The row stays in registers, or is read again.
extern "C" __global__ void quantise_rows(const float4* __restrict__ input, char4* __restrict__ output,
                                         float* __restrict__ scales) {
    constexpr int vectors = COLUMNS / 4, each = vectors / BLOCK_SIZE;
    __shared__ float part[BLOCK_SIZE / 32];
    size_t base = (size_t)blockIdx.x * vectors + threadIdx.x;
    float4 kept[REREAD ? 1 : each];
    float top = 1e-8f;
#pragma unroll
    for (int i = 0; i < each; ++i) {
        float4 v = input[base + i * BLOCK_SIZE];
        if (!REREAD) kept[i] = v;
        top = fmaxf(top, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
    }
    for (int o = 16; o; o >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = top;
    __syncthreads();
#pragma unroll
    for (int w = 0; w < BLOCK_SIZE / 32; ++w) top = fmaxf(top, part[w]);
    float scale = 127.0f / top;
#pragma unroll
    for (int i = 0; i < each; ++i) {
        float4 v = REREAD ? input[base + i * BLOCK_SIZE] : kept[i];
        output[base + i * BLOCK_SIZE] = make_char4(__float2int_rn(v.x * scale), __float2int_rn(v.y * scale),
                                                   __float2int_rn(v.z * scale), __float2int_rn(v.w * scale));
    }
    if (threadIdx.x == 0) scales[blockIdx.x] = top / 127.0f;
}
