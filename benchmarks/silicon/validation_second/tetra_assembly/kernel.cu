// Matrix-free stiffness of P1 tetrahedra: gradients of the four shape functions from the nodes' coordinates, their
// products with the nodal values, scattered back. Nodes of an element are near one another in memory.
#if DOUBLES
typedef double real;
#else
typedef float real;
#endif

extern "C" __global__ void tetra_assembly(const int4* __restrict__ jitter, const float* __restrict__ nodes,
                                          const float* __restrict__ u, double* __restrict__ result)
{
    const int e = blockIdx.x * THREADS + threadIdx.x;
    const int4 j = jitter[e];
    const int id[4] = {(e / 4 + j.x) & 131071, (e / 4 + j.y + 512) & 131071, (e / 4 + j.z + 1024) & 131071,
                       (e / 4 + j.w + 1536) & 131071};
    real p[4][3];
#pragma unroll
    for (int a = 0; a < 4; a++)
#pragma unroll
        for (int d = 0; d < 3; d++) p[a][d] = nodes[3 * id[a] + d];

    real b[3][3];
#pragma unroll
    for (int a = 0; a < 3; a++)
#pragma unroll
        for (int d = 0; d < 3; d++) b[a][d] = p[a + 1][d] - p[0][d];
    real g[4][3];
#pragma unroll
    for (int a = 0; a < 3; a++) {
        const int m = (a + 1) % 3, n = (a + 2) % 3;
        g[a + 1][0] = b[m][1] * b[n][2] - b[m][2] * b[n][1];
        g[a + 1][1] = b[m][2] * b[n][0] - b[m][0] * b[n][2];
        g[a + 1][2] = b[m][0] * b[n][1] - b[m][1] * b[n][0];
    }
    const real det = b[0][0] * g[1][0] + b[0][1] * g[1][1] + b[0][2] * g[1][2];
#pragma unroll
    for (int d = 0; d < 3; d++) g[0][d] = -(g[1][d] + g[2][d] + g[3][d]);
    const real scale = 1 / (6 * (fabs(det) + (real)0.01));

    real flux[3] = {0, 0, 0};
#pragma unroll
    for (int a = 0; a < 4; a++) {
        const real v = u[id[a]];
#pragma unroll
        for (int d = 0; d < 3; d++) flux[d] += g[a][d] * v;
    }
#pragma unroll
    for (int a = 0; a < 4; a++) {
        const real r = scale * (g[a][0] * flux[0] + g[a][1] * flux[1] + g[a][2] * flux[2]);
        real* to = reinterpret_cast<real*>(result) + (ATOMICS ? id[a] : 4 * e + a);
        if (ATOMICS) atomicAdd(to, r);
        else *to = r;
    }
}
