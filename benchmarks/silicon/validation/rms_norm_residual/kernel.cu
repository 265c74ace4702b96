// RMS norm with a residual added first: writes the sum and the normed row, 128-bit accesses, a block a row.
// The sum is kept in registers, or read back from memory by the thread that wrote it.
extern "C" __global__ void rms_norm_residual(const float4* __restrict__ input, const float4* __restrict__ residual,
                                             const float4* __restrict__ weight, float4* sum,
                                             float4* __restrict__ output) {
    constexpr int vectors = 1024, each = vectors / BLOCK_SIZE;
    __shared__ float scratch[BLOCK_SIZE / 32];
    size_t base = (size_t)blockIdx.x * vectors + threadIdx.x;
    float4 kept[REREAD ? 1 : each];
    float squares = 0.0f;
#pragma unroll
    for (int i = 0; i < each; ++i) {
        float4 a = input[base + i * BLOCK_SIZE], b = residual[base + i * BLOCK_SIZE];
        a = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
        sum[base + i * BLOCK_SIZE] = a;
        if (!REREAD) kept[i] = a;
        squares += a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w;
    }
    for (int o = 16; o; o >>= 1) squares += __shfl_down_sync(~0u, squares, o);
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = squares;
    __syncthreads();
    squares = 0.0f;
    for (int i = 0; i < BLOCK_SIZE / 32; ++i) squares += scratch[i];
    float scale = rsqrtf(squares / 4096.0f + 1e-6f);
#pragma unroll
    for (int i = 0; i < each; ++i) {
        float4 a = REREAD ? sum[base + i * BLOCK_SIZE] : kept[i], w = weight[threadIdx.x + i * BLOCK_SIZE];
        output[base + i * BLOCK_SIZE] = make_float4(a.x * scale * w.x, a.y * scale * w.y, a.z * scale * w.z,
                                                    a.w * scale * w.w);
    }
}
