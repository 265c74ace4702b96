// A system a row of threads, an equation a thread; each step eliminates the neighbours twice as far away. The diagonal
// is 3, the other coefficients lie between 0 and 1.
#if DOUBLES
typedef double real;
#else
typedef float real;
#endif

extern "C" __global__ void tridiagonal_pcr(const float* __restrict__ lower, const float* __restrict__ upper,
                                           const float* __restrict__ right, float* __restrict__ solution)
{
    __shared__ real sa[SYSTEMS_BLOCK][SIZE], sb[SYSTEMS_BLOCK][SIZE], sc[SYSTEMS_BLOCK][SIZE], sd[SYSTEMS_BLOCK][SIZE];
    const int i = threadIdx.x, s = threadIdx.y;
    const int at = (blockIdx.x * SYSTEMS_BLOCK + s) * SIZE + i;
    real a = i > 0 ? (real)lower[at] : 0, b = 3, c = i < SIZE - 1 ? (real)upper[at] : 0, d = right[at];
    for (int step = 1; step < SIZE; step *= 2) {
        sa[s][i] = a;
        sb[s][i] = b;
        sc[s][i] = c;
        sd[s][i] = d;
        __syncthreads();
        real na = 0, nc = 0;
        if (i >= step) {
            const real k = a / sb[s][i - step];
            na = -k * sa[s][i - step];
            b -= k * sc[s][i - step];
            d -= k * sd[s][i - step];
        }
        if (i + step < SIZE) {
            const real k = c / sb[s][i + step];
            nc = -k * sc[s][i + step];
            b -= k * sa[s][i + step];
            d -= k * sd[s][i + step];
        }
        a = na;
        c = nc;
        __syncthreads();
    }
    solution[at] = (float)(d / b);
}
