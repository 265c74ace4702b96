// A particle has its place in its cell and its mass; a block has 16 cells of a row. The radius is a cell's side.
constexpr int THREADS = 16 * ROOM, U = UNROLL ? ROOM : 1;

__device__ __forceinline__ float kernel(float r2)
{
    if (SPLINE) {
        const float q = sqrtf(r2), a = fmaxf(1.0f - q, 0.0f), b = fmaxf(0.5f - q, 0.0f);
        return 2.0f * a * a * a - 8.0f * b * b * b;
    }
    const float a = fmaxf(1.0f - r2, 0.0f);
    return a * a * a;
}

extern "C" __global__ void __launch_bounds__(THREADS)
sph_density_cells(const float4* __restrict__ particle, float* __restrict__ density)
{
    __shared__ float4 near[STAGED ? 9 * 18 * ROOM : 1];
    const int x0 = blockIdx.x * 16, y = blockIdx.y, z = blockIdx.z, cell = threadIdx.x / ROOM;
    auto from = [&](int cx, int d) { return (((z + d / 3 + 31) % 32 * 32 + (y + d % 3 + 31) % 32) * 32 + (cx + 32) % 32) * ROOM; };
    if (STAGED) {
        for (int i = threadIdx.x; i < 9 * 18 * ROOM; i += THREADS)
            near[STAGED ? i : 0] = particle[from(x0 - 1 + i / ROOM % 18, i / ROOM / 18) + i % ROOM];
        __syncthreads();
    }
    const int own = from(x0 + cell, 4) + threadIdx.x % ROOM;
    const float4 p = particle[own];
    float sum = 0.0f;
#pragma unroll 1
    for (int d = 0; d < 9; ++d) {
        const float dy = d % 3 - 1 - p.y, dz = d / 3 - 1 - p.z;
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            const float dx = c - 1 - p.x;
            const float4* list = STAGED ? near + (d * 18 + cell + c) * ROOM : particle + from(x0 + cell + c - 1, d);
#pragma unroll U
            for (int i = 0; i < ROOM; ++i) {
                const float4 q = list[i];
                const float x = q.x + dx, yy = q.y + dy, zz = q.z + dz;
                sum += q.w * kernel(x * x + yy * yy + zz * zz);
            }
        }
    }
    density[own] = sum;
}
