// Tridiagonal systems by cyclic reduction in shared memory, a system a block, with a gap after every 32 numbers against
// bank conflicts or without.
#if DOUBLES
typedef double real;
#else
typedef float real;
#endif

__device__ __forceinline__ constexpr int place(int i) { return PAD ? i + i / 32 : i; }

extern "C" __global__ void __launch_bounds__(THREADS)
cyclic_reduction_shared(const real* __restrict__ lower, const real* __restrict__ diagonal, const real* __restrict__ upper,
                        const real* __restrict__ right, real* __restrict__ x)
{
    constexpr int ROOM = place(SIZE - 1) + 1;
    extern __shared__ __align__(16) unsigned char room[];
    real* a = reinterpret_cast<real*>(room);
    real* b = a + ROOM;
    real* c = b + ROOM;
    real* d = c + ROOM;
    const size_t base = (size_t)blockIdx.x * SIZE;
    for (int i = threadIdx.x; i < SIZE; i += THREADS) {
        a[place(i)] = i > 0 ? lower[base + i] : real(0);
        b[place(i)] = diagonal[base + i] + real(4);
        c[place(i)] = i < SIZE - 1 ? upper[base + i] : real(0);
        d[place(i)] = right[base + i];
    }
    for (int s = 1; s < SIZE; s *= 2) {
        __syncthreads();
        for (int k = threadIdx.x; k < SIZE / (2 * s); k += THREADS) {
            const int i = (k + 1) * 2 * s - 1, here = place(i), left = place(i - s);
            const real f = a[here] / b[left];
            if (i + s < SIZE) {
                const int next = place(i + s);
                const real g = c[here] / b[next];
                b[here] -= c[left] * f + a[next] * g;
                d[here] -= d[left] * f + d[next] * g;
                c[here] = -c[next] * g;
            } else {
                b[here] -= c[left] * f;
                d[here] -= d[left] * f;
            }
            a[here] = -a[left] * f;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) d[place(SIZE - 1)] /= b[place(SIZE - 1)];
    for (int s = SIZE / 2; s >= 1; s /= 2) {
        __syncthreads();
        for (int k = threadIdx.x; k < SIZE / (2 * s); k += THREADS) {
            const int i = s - 1 + 2 * s * k, here = place(i);
            real value = d[here] - c[here] * d[place(i + s)];
            if (i >= s) value -= a[here] * d[place(i - s)];
            d[here] = value / b[here];
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < SIZE; i += THREADS) x[base + i] = d[place(i)];
}
