// Cases and triangles of marching cubes over a volume: threads go through RUN planes and keep four corners' bits, table in shared memory or not.
constexpr int N = 256;

extern "C" __global__ void __launch_bounds__(BX * BY)
marching_cubes_count_march(const float* __restrict__ volume, const unsigned char* __restrict__ triangles, unsigned char* __restrict__ kind, int* __restrict__ total, float level)
{
    __shared__ unsigned char table[STAGED ? 256 : 1];
    __shared__ int sums[BX * BY / 32];
    const int id = threadIdx.y * BX + threadIdx.x, x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y, z0 = blockIdx.z * RUN;
    if (STAGED) {
        for (int i = id; i < 256; i += BX * BY) table[STAGED ? i : 0] = triangles[i];
        __syncthreads();
    }
    const int right = min(x + 1, N - 1), down = min(y + 1, N - 1);
    const auto corners = [&](int z) {
        const float* plane = volume + (size_t)min(z, N - 1) * N * N;
        return (plane[y * N + x] < level) | (plane[y * N + right] < level) << 1 | (plane[down * N + right] < level) << 2 | (plane[down * N + x] < level) << 3;
    };
    int below = corners(z0), count = 0;
#pragma unroll 4
    for (int i = 0; i < RUN; ++i) {
        const int above = corners(z0 + i + 1), bits = below | above << 4;
        count += STAGED ? table[STAGED ? bits : 0] : triangles[bits];
        kind[((size_t)(z0 + i) * N + y) * N + x] = bits;
        below = above;
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) count += __shfl_xor_sync(~0u, count, d);
    if (id % 32 == 0) sums[id / 32] = count;
    __syncthreads();
    if (id == 0) {
        for (int i = 1; i < BX * BY / 32; ++i) count += sums[i];
        total[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = count;
    }
}
