// Input gradient of group norm over NCHW: a block has a group of an image, whose numbers lie together.
constexpr int GROUP = CHANNELS * PLANE, V = GROUP / 4;
struct alignas(16) Quad { float v[4]; };

extern "C" __global__ void __launch_bounds__(THREADS)
groupnorm_bwd_nchw_f32_block(const Quad* __restrict__ dy, const Quad* __restrict__ x, const float* __restrict__ gamma,
                             const float2* __restrict__ stats, Quad* __restrict__ dx)
{
    constexpr int U = UNROLL;
    __shared__ float parts[2][THREADS / 32];
    const size_t first = (size_t)blockIdx.x * V;
    const float* weight = gamma + blockIdx.x % 32 * CHANNELS;
    const float2 s = stats[blockIdx.x];
    float a = 0.0f, b = 0.0f;
#pragma unroll U
    for (int i = threadIdx.x; i < V; i += THREADS) {
        const Quad p = x[first + i], q = dy[first + i];
        const float w = weight[i / (PLANE / 4)];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            a += q.v[j] * w;
            b += q.v[j] * w * (p.v[j] - s.x) * s.y;
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        a += __shfl_xor_sync(~0u, a, d);
        b += __shfl_xor_sync(~0u, b, d);
    }
    if (threadIdx.x % 32 == 0) {
        parts[0][threadIdx.x / 32] = a;
        parts[1][threadIdx.x / 32] = b;
    }
    __syncthreads();
    a = b = 0.0f;
#pragma unroll
    for (int i = 0; i < THREADS / 32; ++i) {
        a += parts[0][i];
        b += parts[1][i];
    }
    a /= GROUP;
    b /= GROUP;
#pragma unroll U
    for (int i = threadIdx.x; i < V; i += THREADS) {
        const Quad p = x[first + i], q = dy[first + i];
        const float w = weight[i / (PLANE / 4)];
        Quad r;
#pragma unroll
        for (int j = 0; j < 4; ++j) r.v[j] = s.y * (q.v[j] * w - a - (p.v[j] - s.x) * s.y * b);
        dx[first + i] = r;
    }
}
