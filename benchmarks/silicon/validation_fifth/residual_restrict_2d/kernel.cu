// Residuals f - A u of a 2,048 x 2,048 grid weighted onto every other point, by nine or by five of them.
constexpr int FINE = 2048, COARSE = 1024, TX = 2 * BLOCK_X + 1, TY = 2 * BLOCK_Y + 1;

__device__ float residual(const float* __restrict__ u, const float* __restrict__ f, int x, int y)
{
    if (x <= 0 || y <= 0 || x >= FINE - 1 || y >= FINE - 1) return 0.0f;
    const int at = y * FINE + x;
    return f[at] - (4.0f * u[at] - u[at - 1] - u[at + 1] - u[at - FINE] - u[at + FINE]);
}

extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
residual_restrict_2d(const float* __restrict__ u, const float* __restrict__ f, float* __restrict__ coarse)
{
    const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * BLOCK_X + tx, y = blockIdx.y * BLOCK_Y + ty;
#if IN_SHARED
    __shared__ float r[TY][TX];
    for (int i = ty * BLOCK_X + tx; i < TX * TY; i += BLOCK_X * BLOCK_Y)
        r[i / TX][i % TX] = residual(u, f, 2 * (int)(blockIdx.x * BLOCK_X) - 1 + i % TX, 2 * (int)(blockIdx.y * BLOCK_Y) - 1 + i / TX);
    __syncthreads();
    auto at = [&](int dy, int dx) { return r[2 * ty + 1 + dy][2 * tx + 1 + dx]; };
#else
    auto at = [&](int dy, int dx) { return residual(u, f, 2 * x + dx, 2 * y + dy); };
#endif
    float sum = at(0, 0) * (FULL ? 0.25f : 0.5f);
    sum += (at(0, -1) + at(0, 1) + at(-1, 0) + at(1, 0)) * 0.125f;
    if (FULL) sum += (at(-1, -1) + at(-1, 1) + at(1, -1) + at(1, 1)) * 0.0625f;
    coarse[y * COARSE + x] = sum;
}
