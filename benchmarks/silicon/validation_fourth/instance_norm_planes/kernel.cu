// Instance norm of NCHW images in FP32, a block a plane: by sums and sums of squares in one pass, or by a second pass
// over the plane for the variance.
constexpr int WARPS = THREADS / 32, PACKS = HW / VEC;

struct alignas(4 * VEC) Pack { float v[VEC]; };

__device__ float2 block_sum(float a, float b, float2* part)
{
    for (int d = 16; d > 0; d >>= 1) {
        a += __shfl_down_sync(0xffffffff, a, d);
        b += __shfl_down_sync(0xffffffff, b, d);
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = make_float2(a, b);
    __syncthreads();
    if (threadIdx.x < 32) {
        const float2 p = threadIdx.x < WARPS ? part[threadIdx.x] : make_float2(0.0f, 0.0f);
        a = p.x;
        b = p.y;
        for (int d = WARPS / 2; d > 0; d >>= 1) {
            a += __shfl_down_sync(0xffffffff, a, d);
            b += __shfl_down_sync(0xffffffff, b, d);
        }
        if (threadIdx.x == 0) part[0] = make_float2(a, b);
    }
    __syncthreads();
    return part[0];
}

extern "C" __global__ void instance_norm_planes(const Pack* __restrict__ x, const float* __restrict__ weight,
                                                const float* __restrict__ bias, Pack* __restrict__ y, int channels)
{
    __shared__ float2 part[WARPS];
    const int plane = blockIdx.x, channel = plane % channels;
    const Pack* from = x + (size_t)plane * PACKS;
    Pack* to = y + (size_t)plane * PACKS;
    float sum = 0.0f, square = 0.0f;
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        const Pack p = from[i];
#pragma unroll
        for (int k = 0; k < VEC; ++k) {
            sum += p.v[k];
            square += p.v[k] * p.v[k];
        }
    }
    const float2 total = block_sum(sum, square, part);
    const float mean = total.x / HW;
#if ONE_PASS
    const float variance = fmaxf(total.y / HW - mean * mean, 0.0f);
#else
    square = 0.0f;
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        const Pack p = from[i];
#pragma unroll
        for (int k = 0; k < VEC; ++k) square += (p.v[k] - mean) * (p.v[k] - mean);
    }
    const float variance = block_sum(square, 0.0f, part).x / HW;
#endif
    const float scale = weight[channel] * rsqrtf(variance + 1e-5f), shift = bias[channel] - mean * scale;
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        Pack p = from[i];
#pragma unroll
        for (int k = 0; k < VEC; ++k) p.v[k] = p.v[k] * scale + shift;
        to[i] = p;
    }
}
