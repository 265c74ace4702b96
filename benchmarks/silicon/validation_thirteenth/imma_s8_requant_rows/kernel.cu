// C = clamp(A B^T * row * column) in bytes; fragments are read from shared memory by words.
constexpr int N = 2048, K = 1024, THREADS = 128, LD = BK + PAD, FM = BM / 32, FN = BN / 16;

__device__ __forceinline__ void imma_s8_16832(int* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ signed char rounded(float v)
{
    return (signed char)__float2int_rn(fminf(fmaxf(v, -127.0f), 127.0f));
}

extern "C" __global__ void __launch_bounds__(THREADS)
imma_s8_requant_rows(const signed char* __restrict__ a, const signed char* __restrict__ b, const float* __restrict__ row_scale,
                     const float* __restrict__ col_scale, signed char* __restrict__ c)
{
    alignas(16) __shared__ signed char as[BM * LD];
    alignas(16) __shared__ signed char bs[BN * LD];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    const int m0 = warp % 2 * (BM / 2), n0 = warp / 2 * (BN / 2), g = lane / 4, q = lane % 4 * 4;
    int acc[FM][FN][4] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = t; i < BM * BK / 16; i += THREADS)
            *reinterpret_cast<uint4*>(as + i / (BK / 16) * LD + i % (BK / 16) * 16) = *reinterpret_cast<const uint4*>(a + (row0 + i / (BK / 16)) * K + k0 + i % (BK / 16) * 16);
#pragma unroll
        for (int i = t; i < BN * BK / 16; i += THREADS)
            *reinterpret_cast<uint4*>(bs + i / (BK / 16) * LD + i % (BK / 16) * 16) = *reinterpret_cast<const uint4*>(b + (col0 + i / (BK / 16)) * K + k0 + i % (BK / 16) * 16);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k += 32) {
            unsigned fa[FM][4];
#pragma unroll
            for (int i = 0; i < FM; ++i)
#pragma unroll
                for (int r = 0; r < 4; ++r) fa[i][r] = *reinterpret_cast<const unsigned*>(as + (m0 + i * 16 + g + r % 2 * 8) * LD + k + q + r / 2 * 16);
#pragma unroll
            for (int j = 0; j < FN; ++j) {
                unsigned fb[2];
#pragma unroll
                for (int r = 0; r < 2; ++r) fb[r] = *reinterpret_cast<const unsigned*>(bs + (n0 + j * 8 + g) * LD + k + q + r * 16);
#pragma unroll
                for (int i = 0; i < FM; ++i) imma_s8_16832(acc[i][j], fa[i], fb);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < FM; ++i)
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const int row = row0 + m0 + i * 16 + g + h * 8;
            const float s = row_scale[row] * 1e-4f;
#pragma unroll
            for (int j = 0; j < FN; ++j) {
                const int col = col0 + n0 + j * 8 + lane % 4 * 2;
                char2 o;
                o.x = rounded(acc[i][j][2 * h] * s * col_scale[col]);
                o.y = rounded(acc[i][j][2 * h + 1] * s * col_scale[col + 1]);
                *reinterpret_cast<char2*>(c + (size_t)row * N + col) = o;
            }
        }
}
