// Faces weigh 2, edges 1, the middle -24; cells beyond the edges repeat those on them.
constexpr int NX = 256, NY = 256, NZ = 128, W = BX + 2, H = BY + 2, THREADS = BX * BY;

extern "C" __global__ void __launch_bounds__(THREADS)
laplace19_f32_plane_ring(const float* __restrict__ x, float* __restrict__ y)
{
    __shared__ float ring[STAGED ? 3 : 1][H][W];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * BX + tx, x0 = blockIdx.x * BX, y0 = blockIdx.y * BY, z0 = blockIdx.z * RUN;
    auto load = [&](int z, int s) {
        for (int i = t; i < H * W; i += THREADS) {
            const int r = min(max(y0 + i / W - 1, 0), NY - 1), c = min(max(x0 + i % W - 1, 0), NX - 1);
            ring[s][i / W][i % W] = x[(min(max(z, 0), NZ - 1) * NY + r) * NX + c];
        }
    };
    const int cx[3] = {max(x0 + tx - 1, 0), x0 + tx, min(x0 + tx + 1, NX - 1)}, cy[3] = {max(y0 + ty - 1, 0), y0 + ty, min(y0 + ty + 1, NY - 1)};
    if (STAGED) {
        load(z0 - 1, 0);
        load(z0, 1);
    }
    int s = 0;
#pragma unroll 1
    for (int z = z0; z < z0 + RUN; ++z) {
        const int mid = s == 2 ? 0 : s + 1, top = mid == 2 ? 0 : mid + 1;
        if (STAGED) {
            load(z + 1, top);
            __syncthreads();
        }
        float sum = 0.0f;
#pragma unroll
        for (int dz = 0; dz < 3; ++dz) {
            const int slot = dz == 0 ? s : dz == 1 ? mid : top, plane = min(max(z + dz - 1, 0), NZ - 1);
#pragma unroll
            for (int dy = 0; dy < 3; ++dy)
#pragma unroll
                for (int dx = 0; dx < 3; ++dx) {
                    const int far = (dz != 1) + (dy != 1) + (dx != 1);
                    if (far == 3) continue;
                    const float f = STAGED ? ring[slot][ty + dy][tx + dx] : x[(plane * NY + cy[dy]) * NX + cx[dx]];
                    sum += (far == 0 ? -24.0f : far == 1 ? 2.0f : 1.0f) * f;
                }
        }
        y[(z * NY + y0 + ty) * NX + x0 + tx] = sum * (1.0f / 6.0f);
        if (STAGED) __syncthreads();
        s = mid;
    }
}
