// A step of a lattice Boltzmann method with 15 directions in a periodic box; populations are streamed before (pull) or
// after (push) the collision. Layouts: directions in planes (0), together (1), or in groups of 32 places (2).
constexpr int N = 96, CELLS = N * N * N;
constexpr int CX[15] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, -1, 1}, CY[15] = {0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, -1, 1, 1, -1},
              CZ[15] = {0, 0, 0, 0, 0, 1, -1, 1, -1, -1, 1, 1, -1, 1, -1};

__device__ __forceinline__ size_t place(int cell, int d)
{
    if (LAYOUT == 0) return (size_t)d * CELLS + cell;
    if (LAYOUT == 1) return (size_t)cell * 15 + d;
    return (size_t)(cell / 32) * 480 + d * 32 + cell % 32;
}

extern "C" __global__ void __launch_bounds__(THREADS)
lbm_d3q15_layouts(const float* __restrict__ from, float* __restrict__ to)
{
    const int cell = blockIdx.x * THREADS + threadIdx.x, x = cell % N, y = cell / N % N, z = cell / (N * N);
    const int xs[3] = {x ? x - 1 : N - 1, x, x + 1 < N ? x + 1 : 0}, ys[3] = {y ? y - 1 : N - 1, y, y + 1 < N ? y + 1 : 0};
    const int zs[3] = {z ? z - 1 : N - 1, z, z + 1 < N ? z + 1 : 0};
    float f[15], rho = 0.0f, u = 0.0f, v = 0.0f, w = 0.0f;
#pragma unroll
    for (int d = 0; d < 15; ++d) {
        const int source = PULL ? (zs[1 - CZ[d]] * N + ys[1 - CY[d]]) * N + xs[1 - CX[d]] : cell;
        f[d] = from[place(source, d)];
        rho += f[d];
        u += CX[d] * f[d];
        v += CY[d] * f[d];
        w += CZ[d] * f[d];
    }
    const float by = __fdividef(1.0f, rho);
    u *= by;
    v *= by;
    w *= by;
    const float still = 1.0f - 1.5f * (u * u + v * v + w * w);
#pragma unroll
    for (int d = 0; d < 15; ++d) {
        const float k = d == 0 ? 2.0f / 9.0f : d < 7 ? 1.0f / 9.0f : 1.0f / 72.0f;
        const float c = 3.0f * (CX[d] * u + CY[d] * v + CZ[d] * w);
        const float next = f[d] + 0.8f * (k * rho * (still + c + 0.5f * c * c) - f[d]);
        const int target = PULL ? cell : (zs[1 + CZ[d]] * N + ys[1 + CY[d]]) * N + xs[1 + CX[d]];
        to[place(target, d)] = next;
    }
}
