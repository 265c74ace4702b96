// Spectral elements: thread (i, j) holds a column of POINTS values along k in registers; the slice of a layer and the
// matrix of derivatives lie in shared memory.
#if DOUBLES
typedef double real;
#else
typedef float real;
#endif
constexpr int P = POINTS, P3 = P * P * P;

extern "C" __global__ void spectral_derivative(const double* __restrict__ u, const double* __restrict__ d,
                                               double* __restrict__ ux, double* __restrict__ uy,
                                               double* __restrict__ uz)
{
    __shared__ real sd[P][P + 1], slice[ELEMENTS_BLOCK][P][P + 1];
    const int i = threadIdx.x, j = threadIdx.y, e = threadIdx.z;
    const long long base = (long long)(blockIdx.x * ELEMENTS_BLOCK + e) * P3 + j * P + i;
    if (e == 0) sd[j][i] = (real)d[j * P + i];
    real column[P];
#pragma unroll
    for (int k = 0; k < P; ++k) column[k] = (real)u[base + k * P * P];
#pragma unroll
    for (int k = 0; k < P; ++k) {
        __syncthreads();
        slice[e][j][i] = column[k];
        __syncthreads();
        real dx = 0, dy = 0, dz = 0;
#pragma unroll
        for (int m = 0; m < P; ++m) {
            dx += sd[i][m] * slice[e][j][m];
            dy += sd[j][m] * slice[e][m][i];
            dz += sd[k][m] * column[m];
        }
        ux[base + k * P * P] = dx;
        uy[base + k * P * P] = dy;
        uz[base + k * P * P] = dz;
    }
}
