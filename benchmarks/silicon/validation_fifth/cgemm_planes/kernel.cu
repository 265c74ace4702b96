// Complex matrix product of 512 x 256 by 256 x 512, both by rows.
constexpr int N = 512, K = 256, SIDE = TILE / MICRO, THREADS = SIDE * SIDE;

__device__ float2 get(const float* x, int at)
{
    return PLANES ? make_float2(x[at], x[N * K + at]) : ((const float2*)x)[at];
}

extern "C" __global__ void __launch_bounds__(THREADS)
cgemm_planes(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    __shared__ float2 sa[TILE][BK + 1], sb[BK][TILE];
    const int t = threadIdx.x, tx = t % SIDE, ty = t / SIDE, row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    float2 sum[MICRO][MICRO] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = t; i < TILE * BK; i += THREADS) {
            sa[i / BK][i % BK] = get(a, (row0 + i / BK) * K + k0 + i % BK);
            sb[i / TILE][i % TILE] = get(b, (k0 + i / TILE) * N + col0 + i % TILE);
        }
        __syncthreads();
#pragma unroll 8
        for (int kk = 0; kk < BK; ++kk) {
            float2 x[MICRO], y[MICRO];
#pragma unroll
            for (int q = 0; q < MICRO; ++q) {
                x[q] = sa[ty + q * SIDE][kk];
                y[q] = sb[kk][tx + q * SIDE];
            }
#pragma unroll
            for (int p = 0; p < MICRO; ++p)
#pragma unroll
                for (int q = 0; q < MICRO; ++q) {
                    sum[p][q].x += x[p].x * y[q].x - x[p].y * y[q].y;
                    sum[p][q].y += x[p].x * y[q].y + x[p].y * y[q].x;
                }
        }
        __syncthreads();
    }
#pragma unroll
    for (int p = 0; p < MICRO; ++p)
#pragma unroll
        for (int q = 0; q < MICRO; ++q) {
            const int at = (row0 + ty + p * SIDE) * N + col0 + tx + q * SIDE;
            if (PLANES) {
                c[at] = sum[p][q].x;
                c[N * N + at] = sum[p][q].y;
            } else
                ((float2*)c)[at] = sum[p][q];
        }
}
