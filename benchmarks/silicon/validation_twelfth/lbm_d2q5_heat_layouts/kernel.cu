// Advection and diffusion of heat by a lattice of five directions: numbers of a cell together or in planes, pull or push, EACH rows a thread.
constexpr int NX = 2048, NY = 1024, CELLS = NX * NY;

__device__ __forceinline__ int place(int q, int x, int y)
{
    const int cell = (y & NY - 1) * NX + (x & NX - 1);
    return TOGETHER ? cell * 5 + q : q * CELLS + cell;
}

extern "C" __global__ void __launch_bounds__(THREADS)
lbm_d2q5_heat_layouts(const float* __restrict__ in, const float2* __restrict__ velocity, float* __restrict__ out)
{
    const int x = blockIdx.x * THREADS + threadIdx.x;
    const int dx[5] = {0, 1, 0, -1, 0}, dy[5] = {0, 0, 1, 0, -1};
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int y = blockIdx.y * EACH + e;
        float f[5], t = 0.0f;
#pragma unroll
        for (int q = 0; q < 5; ++q) {
            f[q] = PUSH ? in[place(q, x, y)] : in[place(q, x - dx[q], y - dy[q])];
            t += f[q];
        }
        const float2 u = velocity[y * NX + x];
#pragma unroll
        for (int q = 0; q < 5; ++q) {
            const float w = q ? 0.16666667f : 0.33333334f, rest = w * t * (1.0f + 3.0f * (dx[q] * u.x + dy[q] * u.y));
            f[q] += 1.2f * (rest - f[q]);
            out[PUSH ? place(q, x + dx[q], y + dy[q]) : place(q, x, y)] = f[q];
        }
    }
}
