// Maxwell's equations in 2-D (Ez, Hx, Hy), both half steps in one launch: the magnetic field of a tile and of its lower
// edges is updated first, in shared memory or by each thread for itself, then the electric field.
constexpr int N = 1536;

extern "C" __global__ void maxwell_tm_fused(const float* __restrict__ ez, const float* __restrict__ hx,
                                            const float* __restrict__ hy, const float* __restrict__ material,
                                            float* __restrict__ ez_out, float* __restrict__ hx_out,
                                            float* __restrict__ hy_out, float ch, float ce)
{
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y, at = y * N + x;
    auto new_hx = [&](int yy, int xx) {
        const int i = yy * N + xx;
        return hx[i] - ch * (ez[min(yy + 1, N - 1) * N + xx] - ez[i]);
    };
    auto new_hy = [&](int yy, int xx) {
        const int i = yy * N + xx;
        return hy[i] + ch * (ez[yy * N + min(xx + 1, N - 1)] - ez[i]);
    };
#if IN_SHARED
    __shared__ float sx[BLOCK_Y + 1][BLOCK_X], sy[BLOCK_Y][BLOCK_X + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const float hx0 = new_hx(y, x), hy0 = new_hy(y, x);
    sx[ty + 1][tx] = hx0;
    sy[ty][tx + 1] = hy0;
    if (ty == 0) sx[0][tx] = new_hx(max(y - 1, 0), x);
    if (tx == 0) sy[ty][0] = new_hy(y, max(x - 1, 0));
    __syncthreads();
    const float hx1 = sx[ty][tx], hy1 = sy[ty][tx];
#else
    const float hx0 = new_hx(y, x), hy0 = new_hy(y, x), hx1 = new_hx(max(y - 1, 0), x), hy1 = new_hy(y, max(x - 1, 0));
#endif
    const float c = MATERIAL ? ce * material[at] : ce;
    hx_out[at] = hx0;
    hy_out[at] = hy0;
    ez_out[at] = ez[at] + c * (hy0 - hy1 - hx0 + hx1);
}
