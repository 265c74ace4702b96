// r = f - A u for seven points on 256 x 256 x 128 inner cells; CHUNK layers a thread, three of them in registers.
constexpr int W = 264, H = 258, LAYER = W * H, BY = 8;

extern "C" __global__ void __launch_bounds__(BLOCK_X * BY)
poisson3d_residual_march(const float* __restrict__ u, const float* __restrict__ f, float* __restrict__ r)
{
    const int tx = threadIdx.x % BLOCK_X, ty = threadIdx.x / BLOCK_X;
    int at = (blockIdx.z * CHUNK + 1) * LAYER + (blockIdx.y * BY + ty + 1) * W + blockIdx.x * BLOCK_X + tx + 4;
    float below = u[at - LAYER], here = u[at];
#if IN_SHARED
    __shared__ float plane[2][BY + 2][BLOCK_X + 2];
#endif
#pragma unroll 2
    for (int z = 0; z < CHUNK; ++z, at += LAYER) {
        const float above = u[at + LAYER];
#if IN_SHARED
        float (*p)[BLOCK_X + 2] = plane[z & 1];
        p[ty + 1][tx + 1] = here;
        if (ty == 0) p[0][tx + 1] = u[at - W];
        if (ty == BY - 1) p[BY + 1][tx + 1] = u[at + W];
        if (tx == 0) p[ty + 1][0] = u[at - 1];
        if (tx == BLOCK_X - 1) p[ty + 1][BLOCK_X + 1] = u[at + 1];
        __syncthreads();
        const float sides = p[ty][tx + 1] + p[ty + 2][tx + 1] + p[ty + 1][tx] + p[ty + 1][tx + 2];
#else
        const float sides = u[at - W] + u[at + W] + u[at - 1] + u[at + 1];
#endif
        r[at] = f[at] - (6.0f * here - sides - below - above);
        below = here;
        here = above;
    }
}
