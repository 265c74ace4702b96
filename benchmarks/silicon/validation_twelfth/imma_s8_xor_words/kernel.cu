// Product of matrices of bytes A B^T by mma.sync; fragments by words from shared memory whose chunks of 16 bytes are swizzled or padded.
constexpr int M = 2048, N = 2048, K = 2048, BK = 64, WM = 32, WN = 32, THREADS = BM / WM * (BN / WN) * 32, LD = SWIZZLED ? BK : BK + 16;

__device__ __forceinline__ void mma16832_s8(int* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ int place(int row, int byte)
{
    return SWIZZLED ? row * LD + ((byte / 16) ^ (row / 2 % 4)) * 16 + byte % 16 : row * LD + byte;
}

extern "C" __global__ void __launch_bounds__(THREADS)
imma_s8_xor_words(const signed char* __restrict__ a, const signed char* __restrict__ b, const float* __restrict__ scale, float* __restrict__ c)
{
    alignas(16) __shared__ signed char as[BM * LD];
    alignas(16) __shared__ signed char bs[BN * LD];
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int wr = warp / (BN / WN) * WM, wc = warp % (BN / WN) * WN, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    constexpr int NA = BM * BK / 16 / THREADS, NB = BN * BK / 16 / THREADS;
    uint4 pa[NA], pb[NB];
    const auto read = [&](int k0) {
#pragma unroll
        for (int i = 0; i < NA; ++i) {
            const int e = i * THREADS + threadIdx.x;
            pa[i] = *reinterpret_cast<const uint4*>(a + (size_t)(row0 + e / 4) * K + k0 + e % 4 * 16);
        }
#pragma unroll
        for (int i = 0; i < NB; ++i) {
            const int e = i * THREADS + threadIdx.x;
            pb[i] = *reinterpret_cast<const uint4*>(b + (size_t)(col0 + e / 4) * K + k0 + e % 4 * 16);
        }
    };
    int acc[2][4][4] = {};
    if (AHEAD) read(0);
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
        if (!AHEAD) read(k0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < NA; ++i) {
            const int e = i * THREADS + threadIdx.x;
            *reinterpret_cast<uint4*>(as + place(e / 4, e % 4 * 16)) = pa[i];
        }
#pragma unroll
        for (int i = 0; i < NB; ++i) {
            const int e = i * THREADS + threadIdx.x;
            *reinterpret_cast<uint4*>(bs + place(e / 4, e % 4 * 16)) = pb[i];
        }
        __syncthreads();
        if (AHEAD && k0 + BK < K) read(k0 + BK);
#pragma unroll
        for (int k = 0; k < BK; k += 32) {
            unsigned fa[2][4], fb[4][2];
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    fa[i][j] = *reinterpret_cast<const unsigned*>(as + place(wr + i * 16 + j % 2 * 8 + g, k + j / 2 * 16 + 4 * t));
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j) fb[i][j] = *reinterpret_cast<const unsigned*>(bs + place(wc + i * 8 + g, k + j * 16 + 4 * t));
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) mma16832_s8(acc[i][j], fa[i], fb[j]);
        }
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int r = 0; r < 2; ++r) {
                const int column = col0 + wc + j * 8 + 2 * t;
                *reinterpret_cast<float2*>(c + (size_t)(row0 + wr + i * 16 + r * 8 + g) * N + column) =
                    make_float2(acc[i][j][2 * r] * scale[column], acc[i][j][2 * r + 1] * scale[column + 1]);
            }
}
