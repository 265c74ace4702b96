// NCHW to NHWC: tiles of TC channels and TP pixels through padded shared memory.
constexpr int PIXELS = 3136, CHANNELS = 128;

extern "C" __global__ void __launch_bounds__(THREADS)
permute_0231_f32_tiles(const float* __restrict__ in, float* __restrict__ out)
{
    __shared__ float tile[TC][TP + PAD];
    const int p0 = blockIdx.x * TP, c0 = blockIdx.y * TC;
    const size_t image = (size_t)blockIdx.z * PIXELS * CHANNELS;
#pragma unroll
    for (int i = threadIdx.x; i < TC * TP; i += THREADS)
        tile[i / TP][i % TP] = in[image + (size_t)(c0 + i / TP) * PIXELS + p0 + i % TP];
    __syncthreads();
#pragma unroll
    for (int i = threadIdx.x; i < TC * TP; i += THREADS)
        out[image + (size_t)(p0 + i / TC) * CHANNELS + c0 + i % TC] = tile[i % TC][i / TC];
}
