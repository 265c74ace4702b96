// int8 matrices, a times the transpose of b, by dp4a: SIDE x SIDE tiles, MICRO x MICRO results a thread, WORDS words
// of four numbers deep.
constexpr int N = 1024, K4 = 1024 / 4, ACROSS = SIDE / MICRO, THREADS = ACROSS * ACROSS;

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_int8_dp4a(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ c)
{
    __shared__ int sa[WORDS][SIDE + PAD], sb[WORDS][SIDE + PAD];
    const int t = threadIdx.x, tx = t % ACROSS, ty = t / ACROSS;
    const int m0 = blockIdx.y * SIDE, n0 = blockIdx.x * SIDE;
    int acc[MICRO][MICRO] = {};
    for (int k0 = 0; k0 < K4; k0 += WORDS) {
        for (int i = t; i < SIDE * WORDS; i += THREADS) {
            const int r = i / WORDS, k = i % WORDS;
            sa[k][r] = a[(m0 + r) * K4 + k0 + k];
            sb[k][r] = b[(n0 + r) * K4 + k0 + k];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < WORDS; ++k) {
            int ra[MICRO], rb[MICRO];
#pragma unroll
            for (int i = 0; i < MICRO; ++i) {
                ra[i] = sa[k][ty + i * ACROSS];
                rb[i] = sb[k][tx + i * ACROSS];
            }
#pragma unroll
            for (int i = 0; i < MICRO; ++i)
#pragma unroll
                for (int j = 0; j < MICRO; ++j) acc[i][j] = __dp4a(ra[i], rb[j], acc[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < MICRO; ++i)
#pragma unroll
        for (int j = 0; j < MICRO; ++j) c[(m0 + ty + i * ACROSS) * N + n0 + tx + j * ACROSS] = acc[i][j];
}
