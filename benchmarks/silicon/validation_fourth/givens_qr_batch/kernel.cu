// The R of QR factorisations of small matrices by Givens rotations, a matrix a thread in registers, matrices one after
// the other or element by element.
#if DOUBLES
typedef double real;
constexpr real TINY = 1e-300;
#else
typedef float real;
constexpr real TINY = 1e-30f;
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
givens_qr_batch(const real* __restrict__ matrices, real* __restrict__ out, int count)
{
    const int n = blockIdx.x * THREADS + threadIdx.x;
    auto place = [&](int i, int j) { return SOA ? (i * ORDER + j) * count + n : n * ORDER * ORDER + i * ORDER + j; };
    real a[ORDER][ORDER];
#pragma unroll
    for (int i = 0; i < ORDER; ++i)
#pragma unroll
        for (int j = 0; j < ORDER; ++j) a[i][j] = matrices[place(i, j)];
#pragma unroll
    for (int j = 0; j < ORDER - 1; ++j)
#pragma unroll
        for (int i = ORDER - 1; i > j; --i) {
            const real x = a[i - 1][j], y = a[i][j];
            const real inverse = real(1) / sqrt(x * x + y * y + TINY), c = x * inverse, s = y * inverse;
#pragma unroll
            for (int k = j; k < ORDER; ++k) {
                const real u = a[i - 1][k], v = a[i][k];
                a[i - 1][k] = c * u + s * v;
                a[i][k] = c * v - s * u;
            }
        }
#pragma unroll
    for (int i = 0; i < ORDER; ++i)
#pragma unroll
        for (int j = 0; j < ORDER; ++j) out[place(i, j)] = j >= i ? a[i][j] : real(0);
}
