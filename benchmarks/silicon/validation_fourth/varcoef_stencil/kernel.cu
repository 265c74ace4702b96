// Seven-point stencil in 3-D with a coefficient a cell and direction, as an implicit solver's matrix, FP32 or FP64,
// Z_EACH cells along z a thread.
#if DOUBLES
typedef double real;
#else
typedef float real;
#endif

constexpr int NX = 128, NY = 64, NZ = 96, PLANE = NX * NY, CELLS = PLANE * NZ;

extern "C" __global__ void varcoef_stencil(const real* __restrict__ c, const real* __restrict__ x, real* __restrict__ y)
{
    const int i = blockIdx.x * BLOCK_X + threadIdx.x, j = blockIdx.y * BLOCK_Y + threadIdx.y, k0 = blockIdx.z * Z_EACH;
#pragma unroll
    for (int e = 0; e < Z_EACH; ++e) {
        const int k = k0 + e, at = k * PLANE + j * NX + i;
        real sum = c[at] * x[at];
        if (i > 0) sum += c[CELLS + at] * x[at - 1];
        if (i < NX - 1) sum += c[2 * CELLS + at] * x[at + 1];
        if (j > 0) sum += c[3 * CELLS + at] * x[at - NX];
        if (j < NY - 1) sum += c[4 * CELLS + at] * x[at + NX];
        if (k > 0) sum += c[5 * CELLS + at] * x[at - PLANE];
        if (k < NZ - 1) sum += c[6 * CELLS + at] * x[at + PLANE];
        y[at] = sum;
    }
}
