// Products of a vector of 1,048,576 numbers with COUNT others, JT of them at a time in a block; sums of blocks are stored.
constexpr int N = 1048576, PART = N / BLOCKS / VEC;
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
multi_dot_gram_schmidt(const Pack* __restrict__ w, const Pack* __restrict__ basis, float* __restrict__ sums)
{
    __shared__ float parts[JT][8];
    const int j0 = blockIdx.y * JT, first = blockIdx.x * PART + threadIdx.x;
    float sum[JT] = {};
#pragma unroll 2
    for (int i = 0; i < PART; i += 256) {
        const Pack p = w[first + i];
        Pack q[JT];
#pragma unroll
        for (int j = 0; j < JT; ++j) q[j] = basis[(size_t)(j0 + j) * (N / VEC) + first + i];
#pragma unroll
        for (int j = 0; j < JT; ++j)
#pragma unroll
            for (int v = 0; v < VEC; ++v) sum[j] += p.v[v] * q[j].v[v];
    }
#pragma unroll
    for (int j = 0; j < JT; ++j) {
#pragma unroll
        for (int d = 16; d; d >>= 1) sum[j] += __shfl_xor_sync(~0u, sum[j], d);
        if (threadIdx.x % 32 == 0) parts[j][threadIdx.x / 32] = sum[j];
    }
    __syncthreads();
    if (threadIdx.x < JT) {
        float s = 0.0f;
#pragma unroll
        for (int i = 0; i < 8; ++i) s += parts[threadIdx.x][i];
        sums[(j0 + threadIdx.x) * BLOCKS + blockIdx.x] = s;
    }
}
