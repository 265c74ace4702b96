// Advection along x or y by the fifth-order WENO reconstruction of Jiang and Shu, a line of EACH cells a thread (the
// flux between two is used twice) on a periodic grid.
#if DOUBLES
typedef double real;
#else
typedef float real;
#endif

__device__ __forceinline__ real face(real a, real b, real c, real d, real e)
{
    const real third = (real)(1.0 / 3.0), eps = (real)1e-6, t = (real)(13.0 / 12.0), q = (real)0.25;
    const real p0 = third * a - (real)(7.0 / 6.0) * b + (real)(11.0 / 6.0) * c;
    const real p1 = (real)(-1.0 / 6.0) * b + (real)(5.0 / 6.0) * c + third * d;
    const real p2 = third * c + (real)(5.0 / 6.0) * d - (real)(1.0 / 6.0) * e;
    const real s0 = a - 2 * b + c, r0 = a - 4 * b + 3 * c, s1 = b - 2 * c + d, r1 = b - d;
    const real s2 = c - 2 * d + e, r2 = 3 * c - 4 * d + e;
    const real b0 = t * s0 * s0 + q * r0 * r0 + eps, b1 = t * s1 * s1 + q * r1 * r1 + eps, b2 = t * s2 * s2 + q * r2 * r2 + eps;
    const real w0 = (real)0.1 / (b0 * b0), w1 = (real)0.6 / (b1 * b1), w2 = (real)0.3 / (b2 * b2);
    return (w0 * p0 + w1 * p1 + w2 * p2) / (w0 + w1 + w2);
}

extern "C" __global__ void weno5_advect(const real* __restrict__ u, real* __restrict__ next, int side, float ratio)
{
    const int i = blockIdx.x * THREADS + threadIdx.x, across = ALONG_X ? side / EACH : side;
    const int line = ALONG_X ? i / across : i % across, first = (ALONG_X ? i % across : i / across) * EACH;
    auto at = [&](int k) {
        const int w = k < 0 ? k + side : k >= side ? k - side : k;
        return ALONG_X ? line * side + w : w * side + line;
    };
    real v[EACH + 5];
#pragma unroll
    for (int k = 0; k < EACH + 5; ++k) v[k] = u[at(first + k - 3)];
    real before = face(v[0], v[1], v[2], v[3], v[4]);
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const real after = face(v[k + 1], v[k + 2], v[k + 3], v[k + 4], v[k + 5]);
        next[at(first + k)] = v[k + 3] - (real)ratio * (after - before);
        before = after;
    }
}
