// Softmax of FP32 rows, a block a row: KEEP 0 holds the row in registers, 1 in shared memory, 2 reads it three times.
constexpr int PER = COLS / THREADS / 4, WARPS = THREADS / 32, SHORT = PER < 8 ? PER / 2 : 4, TURNS = KEEP == 2 ? SHORT : PER;

template <bool TOP> __device__ __forceinline__ float block_value(float v, float* part)
{
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        const float o = __shfl_xor_sync(~0u, v, d);
        v = TOP ? fmaxf(v, o) : v + o;
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[threadIdx.x % WARPS];
#pragma unroll
    for (int d = WARPS / 2; d; d >>= 1) {
        const float o = __shfl_xor_sync(~0u, v, d);
        v = TOP ? fmaxf(v, o) : v + o;
    }
    return v;
}

extern "C" __global__ void __launch_bounds__(THREADS)
softmax_f32_keep_modes(const float4* __restrict__ x, float4* __restrict__ y)
{
    __shared__ float part[2][WARPS];
    __shared__ float4 line[KEEP == 1 ? COLS / 4 : 1];
    const float4* row = x + (size_t)blockIdx.x * (COLS / 4);
    float4 f[KEEP == 0 ? PER : 1];
    float top = -1.0e30f, sum = 0.0f;
#pragma unroll TURNS
    for (int i = 0; i < PER; ++i) {
        const float4 v = row[i * THREADS + threadIdx.x];
        if (KEEP == 0) f[i] = v;
        if (KEEP == 1) line[i * THREADS + threadIdx.x] = v;
        top = fmaxf(top, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
    top = block_value<true>(top, part[0]);
#pragma unroll TURNS
    for (int i = 0; i < PER; ++i) {
        float4 v = KEEP == 0 ? f[i] : KEEP == 1 ? line[i * THREADS + threadIdx.x] : row[i * THREADS + threadIdx.x];
        v = make_float4(__expf(v.x - top), __expf(v.y - top), __expf(v.z - top), __expf(v.w - top));
        if (KEEP == 0) f[i] = v;
        if (KEEP == 1) line[i * THREADS + threadIdx.x] = v;
        sum += v.x + v.y + v.z + v.w;
    }
    sum = 1.0f / block_value<false>(sum, part[1]);
#pragma unroll TURNS
    for (int i = 0; i < PER; ++i) {
        float4 v = KEEP == 0 ? f[i] : KEEP == 1 ? line[i * THREADS + threadIdx.x] : row[i * THREADS + threadIdx.x];
        if (KEEP == 2) v = make_float4(__expf(v.x - top), __expf(v.y - top), __expf(v.z - top), __expf(v.w - top));
        y[(size_t)blockIdx.x * (COLS / 4) + i * THREADS + threadIdx.x] =
            make_float4(v.x * sum, v.y * sum, v.z * sum, v.w * sum);
    }
}
