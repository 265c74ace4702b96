// row-wise softmax, one block per row, the row is kept in registers
#if VECTOR == 4
typedef float4 Vec;
#elif VECTOR == 2
typedef float2 Vec;
#else
typedef float Vec;
#endif

__device__ float warp_max(float v)
{
    for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, o));
    return v;
}
__device__ float warp_sum(float v)
{
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o);
    return v;
}

extern "C" __global__ void softmax(const float* __restrict__ x, float* __restrict__ y)
{
    constexpr int PER_THREAD = COLUMNS / BLOCK_SIZE;
    constexpr int PACKS = PER_THREAD / VECTOR;
    constexpr int WARPS = BLOCK_SIZE / 32;
    __shared__ float part[WARPS];
    union { Vec pack[PACKS]; float v[PER_THREAD]; } u;
    const Vec* row = reinterpret_cast<const Vec*>(x + (size_t)blockIdx.x * COLUMNS);
    Vec* out = reinterpret_cast<Vec*>(y + (size_t)blockIdx.x * COLUMNS);
#pragma unroll
    for (int k = 0; k < PACKS; ++k) u.pack[k] = row[threadIdx.x + k * BLOCK_SIZE];
    float m = u.v[0];
#pragma unroll
    for (int k = 1; k < PER_THREAD; ++k) m = fmaxf(m, u.v[k]);
    m = warp_max(m);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = m;
    __syncthreads();
    for (int w = 0; w < WARPS; ++w) m = fmaxf(m, part[w]);
    __syncthreads();
    float s = 0;
#pragma unroll
    for (int k = 0; k < PER_THREAD; ++k) {
#if FAST
        u.v[k] = __expf(u.v[k] - m);
#else
        u.v[k] = expf(u.v[k] - m);
#endif
        s += u.v[k];
    }
    s = warp_sum(s);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    s = 0;
    for (int w = 0; w < WARPS; ++w) s += part[w];
    const float r = 1.0f / s;
#pragma unroll
    for (int k = 0; k < PER_THREAD; ++k) u.v[k] *= r;
#pragma unroll
    for (int k = 0; k < PACKS; ++k) out[threadIdx.x + k * BLOCK_SIZE] = u.pack[k];
}
