// C = A B^T, 1,024 cubed in int8, operands straight from global memory; four warps in a column share B.
constexpr int K = 1024, N = 1024, MT = WM / 16, NT = WN / 8;

extern "C" __global__ void __launch_bounds__(128)
mma_s8_global_fragments(const int* __restrict__ a, const int* __restrict__ b, const float* __restrict__ scale,
                        float* __restrict__ c)
{
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int row = (blockIdx.y * 4 + warp) * WM + g, col = blockIdx.x * WN + g;
    int acc[MT][NT][4] = {};
#pragma unroll UNROLL
    for (int k = 0; k < K / 4; k += 8) {
        int fa[MT][4], fb[NT][2];
#pragma unroll
        for (int m = 0; m < MT; ++m)
#pragma unroll
            for (int h = 0; h < 4; ++h) fa[m][h] = a[(row + m * 16 + h % 2 * 8) * (K / 4) + k + t + h / 2 * 4];
#pragma unroll
        for (int n = 0; n < NT; ++n)
#pragma unroll
            for (int h = 0; h < 2; ++h) fb[n][h] = b[(col + n * 8) * (K / 4) + k + t + h * 4];
#pragma unroll
        for (int m = 0; m < MT; ++m)
#pragma unroll
            for (int n = 0; n < NT; ++n)
                asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                             "{%8, %9}, {%0, %1, %2, %3};"
                             : "+r"(acc[m][n][0]), "+r"(acc[m][n][1]), "+r"(acc[m][n][2]), "+r"(acc[m][n][3])
                             : "r"(fa[m][0]), "r"(fa[m][1]), "r"(fa[m][2]), "r"(fa[m][3]), "r"(fb[n][0]), "r"(fb[n][1]));
    }
#pragma unroll
    for (int m = 0; m < MT; ++m)
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const float s = scale[row + m * 16 + h * 8];
#pragma unroll
            for (int n = 0; n < NT; ++n) {
                const int at = (row + m * 16 + h * 8) * N + blockIdx.x * WN + n * 8 + t * 2;
                c[at] = s * acc[m][n][h * 2];
                c[at + 1] = s * acc[m][n][h * 2 + 1];
            }
        }
}
