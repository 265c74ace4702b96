// dc/dt = laplacian(c^3 - c - g laplacian(c)) on a periodic grid; indices wrap by comparisons or by a remainder.
__device__ int wrapped(int i, int side)
{
    if (COMPARE) return i < 0 ? i + side : i >= side ? i - side : i;
    return (i + side) % side;
}

__device__ float value(const float* __restrict__ c, int x, int y, int side)
{
    return c[wrapped(y, side) * side + wrapped(x, side)];
}

__device__ float potential(float c, float sum)
{
    return c * c * c - c - 0.5f * (sum - 4.0f * c);
}

extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
cahn_hilliard_2d(const float* __restrict__ c, float* __restrict__ next, int side)
{
    const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * BLOCK_X + tx, y = blockIdx.y * BLOCK_Y + ty;
    float centre, laplacian;
#if IN_SHARED
    constexpr int W = BLOCK_X + 4, H = BLOCK_Y + 4, PW = BLOCK_X + 2, PH = BLOCK_Y + 2;
    __shared__ float tile[H][W], mu[PH][PW];
    const int t = ty * BLOCK_X + tx;
    for (int i = t; i < W * H; i += BLOCK_X * BLOCK_Y)
        tile[i / W][i % W] = value(c, blockIdx.x * BLOCK_X + i % W - 2, blockIdx.y * BLOCK_Y + i / W - 2, side);
    __syncthreads();
    for (int i = t; i < PW * PH; i += BLOCK_X * BLOCK_Y) {
        const int a = i / PW + 1, b = i % PW + 1;
        mu[a - 1][b - 1] = potential(tile[a][b], tile[a - 1][b] + tile[a + 1][b] + tile[a][b - 1] + tile[a][b + 1]);
    }
    __syncthreads();
    centre = tile[ty + 2][tx + 2];
    laplacian = mu[ty][tx + 1] + mu[ty + 2][tx + 1] + mu[ty + 1][tx] + mu[ty + 1][tx + 2] - 4.0f * mu[ty + 1][tx + 1];
#else
    auto at = [&](int dy, int dx) { return value(c, x + dx, y + dy, side); };
    auto mu = [&](int dy, int dx) {
        return potential(at(dy, dx), at(dy - 1, dx) + at(dy + 1, dx) + at(dy, dx - 1) + at(dy, dx + 1));
    };
    centre = at(0, 0);
    laplacian = mu(-1, 0) + mu(1, 0) + mu(0, -1) + mu(0, 1) - 4.0f * mu(0, 0);
#endif
    next[y * side + x] = centre + 0.01f * laplacian;
}
