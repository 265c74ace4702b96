// Median of 5 x 5 by forgetful selection: the least and the greatest of 14 numbers leave, one comes, and so on.
constexpr int W = 2048, H = 1024, LD = BX + 4, ROWS = BY * PER + 4;

__device__ __forceinline__ void order(float& a, float& b)
{
    const float least = fminf(a, b);
    b = fmaxf(a, b);
    a = least;
}

extern "C" __global__ void __launch_bounds__(BX * BY)
median5x5_f32_forgetful(const float* __restrict__ in, float* __restrict__ out)
{
    __shared__ float tile[STAGED ? ROWS : 1][LD];
    const int x0 = blockIdx.x * BX, y0 = blockIdx.y * BY * PER;
    const auto pixel = [&](int row, int column) { return in[min(max(y0 + row - 2, 0), H - 1) * W + min(max(x0 + column - 2, 0), W - 1)]; };
    if (STAGED) {
        for (int i = threadIdx.y * BX + threadIdx.x; i < ROWS * LD; i += BX * BY) tile[STAGED ? i / LD : 0][i % LD] = pixel(i / LD, i % LD);
        __syncthreads();
    }
#pragma unroll 1
    for (int p = 0; p < PER; ++p) {
        const int r0 = threadIdx.y + p * BY;
        const auto at = [&](int i) { return STAGED ? tile[STAGED ? r0 + i / 5 : 0][threadIdx.x + i % 5] : pixel(r0 + i / 5, threadIdx.x + i % 5); };
        float v[14];
#pragma unroll
        for (int i = 0; i < 14; ++i) v[i] = at(i);
#pragma unroll
        for (int m = 14; m >= 3; --m) {
#pragma unroll
            for (int i = 0; i < m / 2; ++i) order(v[i], v[m - 1 - i]);
#pragma unroll
            for (int i = (m + 1) / 2; i < m - 1; ++i) order(v[i], v[m - 1]);
            if (m % 2) order(v[m / 2], v[m - 1]);
#pragma unroll
            for (int i = 1; i < (m + 1) / 2; ++i) order(v[0], v[i]);
            if (m > 3) v[0] = at(28 - m);
        }
        out[(y0 + r0) * W + x0 + threadIdx.x] = v[1];
    }
}
