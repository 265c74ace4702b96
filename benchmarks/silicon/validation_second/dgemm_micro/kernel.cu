// Double precision: 768 x 512 by 512 x 768. SIDE x SIDE threads, each MICRO x MICRO results that lie SIDE apart.
constexpr int EDGE = SIDE * MICRO, THREADS = SIDE * SIDE, COPIES = EDGE * DEPTH / THREADS;

extern "C" __global__ void dgemm_micro(const double* __restrict__ a, const double* __restrict__ b,
                                       double* __restrict__ c)
{
    __shared__ double as[DEPTH][EDGE + 1], bs[DEPTH][EDGE];
    const int x = threadIdx.x, y = threadIdx.y, t = y * SIDE + x;
    const double* pa = a + blockIdx.y * EDGE * 512;
    const double* pb = b + blockIdx.x * EDGE;
    double sum[MICRO][MICRO] = {}, ra[COPIES], rb[COPIES];

#define FETCH(K0)                                                                          \
    _Pragma("unroll") for (int i = 0; i < COPIES; ++i) {                                   \
        const int e = t + i * THREADS;                                                     \
        ra[i] = pa[e / DEPTH * 512 + (K0) + e % DEPTH];                                    \
        rb[i] = pb[((K0) + e / EDGE) * 768 + e % EDGE];                                    \
    }

    if (PREFETCH) { FETCH(0) }
    for (int k0 = 0; k0 < 512; k0 += DEPTH) {
        if (!PREFETCH) { FETCH(k0) }
#pragma unroll
        for (int i = 0; i < COPIES; ++i) {
            const int e = t + i * THREADS;
            as[e % DEPTH][e / DEPTH] = ra[i];
            bs[e / EDGE][e % EDGE] = rb[i];
        }
        __syncthreads();
        if (PREFETCH && k0 + DEPTH < 512) { FETCH(k0 + DEPTH) }
#pragma unroll
        for (int k = 0; k < DEPTH; ++k)
#pragma unroll
            for (int i = 0; i < MICRO; ++i)
#pragma unroll
                for (int j = 0; j < MICRO; ++j) sum[i][j] = fma(as[k][y + i * SIDE], bs[k][x + j * SIDE], sum[i][j]);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < MICRO; ++i)
#pragma unroll
        for (int j = 0; j < MICRO; ++j)
            c[(blockIdx.y * EDGE + y + i * SIDE) * 768 + blockIdx.x * EDGE + x + j * SIDE] = sum[i][j];
}
