// x[128][16][32][128] to y[128][32][16][128].
extern "C" __global__ void __launch_bounds__(32 * ROWS)
permute_3210_f32(const float* __restrict__ x, float* __restrict__ y)
{
    __shared__ float tile[MODE >= 2 ? 32 : 1][32 + (MODE == 3)];
    const int b = SWAP ? blockIdx.y % 16 : blockIdx.y / 32, c = SWAP ? blockIdx.y / 16 : blockIdx.y % 32;
    const int a0 = blockIdx.x / 4 * 32, d0 = blockIdx.x % 4 * 32;
    auto from = [&](int a, int d) { return ((a * 16 + b) * 32 + c) * 128 + d; };
    auto to = [&](int a, int d) { return ((d * 32 + c) * 16 + b) * 128 + a; };
    if (MODE == 0) {
#pragma unroll
        for (int r = threadIdx.y; r < 32; r += ROWS) y[to(a0 + r, d0 + threadIdx.x)] = x[from(a0 + r, d0 + threadIdx.x)];
    } else if (MODE == 1) {
#pragma unroll
        for (int r = threadIdx.y; r < 32; r += ROWS) y[to(a0 + threadIdx.x, d0 + r)] = x[from(a0 + threadIdx.x, d0 + r)];
    } else {
#pragma unroll
        for (int r = threadIdx.y; r < 32; r += ROWS) tile[r][threadIdx.x] = x[from(a0 + r, d0 + threadIdx.x)];
        __syncthreads();
#pragma unroll
        for (int r = threadIdx.y; r < 32; r += ROWS) y[to(a0 + threadIdx.x, d0 + r)] = tile[threadIdx.x][r];
    }
}
