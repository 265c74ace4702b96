// 1,024 x 2,048 bits by 2,048 x 1,024, the second by columns; KW words of 32 bits a tile.
#if WIDE
typedef unsigned long long Word;
__device__ int ones(Word w) { return __popcll(w); }
#else
typedef unsigned Word;
__device__ int ones(Word w) { return __popc(w); }
#endif

constexpr int BITS = 2048, N = 1024, WORDS = BITS / 8 / sizeof(Word), PER = KW / (1 + WIDE), SIDE = TILE / MICRO;

extern "C" __global__ void __launch_bounds__(SIDE * SIDE)
xnor_popc_gemm(const Word* __restrict__ a, const Word* __restrict__ b, int* __restrict__ c)
{
    __shared__ Word as[TILE][PER + 1], bs[TILE][PER + 1];
    const int thread = threadIdx.y * SIDE + threadIdx.x;
    int acc[MICRO][MICRO] = {};
    for (int k = 0; k < WORDS; k += PER) {
        for (int i = thread; i < TILE * PER; i += SIDE * SIDE) {
            as[i / PER][i % PER] = a[(blockIdx.y * TILE + i / PER) * WORDS + k + i % PER];
            bs[i / PER][i % PER] = b[(blockIdx.x * TILE + i / PER) * WORDS + k + i % PER];
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < PER; ++p) {
            Word x[MICRO], y[MICRO];
#pragma unroll
            for (int m = 0; m < MICRO; ++m) {
                x[m] = as[threadIdx.y + m * SIDE][p];
                y[m] = bs[threadIdx.x + m * SIDE][p];
            }
#pragma unroll
            for (int m = 0; m < MICRO; ++m)
#pragma unroll
                for (int n = 0; n < MICRO; ++n) acc[m][n] += ones(x[m] ^ y[n]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < MICRO; ++m)
#pragma unroll
        for (int n = 0; n < MICRO; ++n)
            c[(blockIdx.y * TILE + threadIdx.y + m * SIDE) * N + blockIdx.x * TILE + threadIdx.x + n * SIDE] =
                BITS - 2 * acc[m][n];
}
