// Sparse by dense matrix as graph networks need it: a warp makes 32 * COARSEN columns of a row. The row's entries are
// read by every lane, or 32 at a time and then passed on by shared memory or by shuffles.
constexpr int N = 128, WARPS = 8;

__device__ __forceinline__ int start_of(int row)
{
    unsigned h = row * 2654435761u;
    h ^= h >> 16;
    return row * MEAN + (int)(h % MEAN);
}

extern "C" __global__ void __launch_bounds__(32 * WARPS)
gespmm_shared(const int* __restrict__ columns, const float* __restrict__ values, const float* __restrict__ dense,
              float* __restrict__ out, int rows)
{
    constexpr int PARTS = N / (32 * COARSEN);
    const int lane = threadIdx.x, item = blockIdx.x * WARPS + threadIdx.y, row = item / PARTS;
    const int column = item % PARTS * 32 * COARSEN + lane;
    if (row >= rows) return;
    const int begin = start_of(row), end = start_of(row + 1);
    float acc[COARSEN] = {};
#if STAGED == 0
    for (int k = begin; k < end; ++k) {
        const float* from = dense + (size_t)columns[k] * N + column;
        const float v = values[k];
#pragma unroll
        for (int c = 0; c < COARSEN; ++c) acc[c] += v * from[c * 32];
    }
#else
#if STAGED == 1
    __shared__ int index[WARPS][32];
    __shared__ float value[WARPS][32];
#endif
    for (int k0 = begin; k0 < end; k0 += 32) {
        const int k = k0 + lane, count = min(32, end - k0);
        const int i = k < end ? columns[k] * N : 0;
        const float v = k < end ? values[k] : 0.0f;
#if STAGED == 1
        __syncwarp();
        index[threadIdx.y][lane] = i;
        value[threadIdx.y][lane] = v;
        __syncwarp();
#endif
        for (int j = 0; j < count; ++j) {
#if STAGED == 1
            const float* from = dense + index[threadIdx.y][j] + column;
            const float w = value[threadIdx.y][j];
#else
            const float* from = dense + __shfl_sync(0xffffffff, i, j) + column;
            const float w = __shfl_sync(0xffffffff, v, j);
#endif
#pragma unroll
            for (int c = 0; c < COARSEN; ++c) acc[c] += w * from[c * 32];
        }
    }
#endif
#pragma unroll
    for (int c = 0; c < COARSEN; ++c) out[(size_t)row * N + column + c * 32] = acc[c];
}
