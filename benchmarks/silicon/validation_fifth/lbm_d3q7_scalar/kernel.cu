// Pull and collide of D3Q7 advection and diffusion, periodic 128 x 128 x 64 cells; velocity from a field or a formula.
constexpr int NX = 128, NY = 128, NZ = 64, CELLS = NX * NY * NZ;

extern "C" __global__ void __launch_bounds__(THREADS)
lbm_d3q7_scalar(const float* __restrict__ f, const float* __restrict__ velocity, float* __restrict__ g)
{
    const int cell = blockIdx.x * THREADS + threadIdx.x;
    const int x = cell % NX, y = cell / NX % NY, z = cell / (NX * NY);
    auto index = [&](int q, int i, int j, int k) {
        const int at = ((k & NZ - 1) * NY + (j & NY - 1)) * NX + (i & NX - 1);
        return ARRAYS ? q * CELLS + at : at * 7 + q;
    };
    float p[7];
    p[0] = f[index(0, x, y, z)];
    p[1] = f[index(1, x - 1, y, z)];
    p[2] = f[index(2, x + 1, y, z)];
    p[3] = f[index(3, x, y - 1, z)];
    p[4] = f[index(4, x, y + 1, z)];
    p[5] = f[index(5, x, y, z - 1)];
    p[6] = f[index(6, x, y, z + 1)];
    float u, v, w;
    if (PRESCRIBED) {
        const float a = x * (6.2831853f / NX), b = y * (6.2831853f / NY);
        u = 0.1f * __sinf(a) * __cosf(b);
        v = -0.1f * __cosf(a) * __sinf(b);
        w = 0.02f;
    } else {
        u = 0.1f * velocity[cell];
        v = 0.1f * velocity[CELLS + cell];
        w = 0.1f * velocity[2 * CELLS + cell];
    }
    float sum = 0.0f;
#pragma unroll
    for (int q = 0; q < 7; ++q) sum += p[q];
    constexpr float omega = 1.2f;
    const float c[7] = {0.0f, u, -u, v, -v, w, -w};
#pragma unroll
    for (int q = 0; q < 7; ++q) {
        const float equilibrium = q == 0 ? sum * 0.25f : sum * 0.125f * (1.0f + 4.0f * c[q]);
        g[index(q, x, y, z)] = p[q] + omega * (equilibrium - p[q]);
    }
}
