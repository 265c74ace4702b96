// C = A B^T in bf16, 2,048 x 2,048 x 1,024, both by rows; four warps, tiles read by ldmatrix.
constexpr int K = 1024, N = 2048, LINE = BK + PAD, MT = BM / 32, NT = BN / 16;

__device__ unsigned address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

extern "C" __global__ void __launch_bounds__(128)
mma_bf16_ldmatrix_nt(const uint4* __restrict__ a, const uint4* __restrict__ b, float* __restrict__ c)
{
    __shared__ __align__(16) unsigned short as[BM * LINE], bs[BN * LINE];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wm = warp / 2 * (BM / 2), wn = warp % 2 * (BN / 2);
    float acc[MT][NT][4] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = threadIdx.x; i < BM * BK / 8; i += 128) {
            const int r = i / (BK / 8), k = i % (BK / 8);
            *reinterpret_cast<uint4*>(as + r * LINE + k * 8) = a[(blockIdx.y * BM + r) * (K / 8) + k0 / 8 + k];
        }
#pragma unroll
        for (int i = threadIdx.x; i < BN * BK / 8; i += 128) {
            const int r = i / (BK / 8), k = i % (BK / 8);
            *reinterpret_cast<uint4*>(bs + r * LINE + k * 8) = b[(blockIdx.x * BN + r) * (K / 8) + k0 / 8 + k];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            unsigned fb[NT][2];
#pragma unroll
            for (int n = 0; n < NT; n += 2) {
                const int r = wn + n * 8 + lane % 8 + lane / 16 * 8, kk = k + lane / 8 % 2 * 8;
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(fb[n][0]), "=r"(fb[n][1]), "=r"(fb[n + 1][0]), "=r"(fb[n + 1][1])
                             : "r"(address(bs + r * LINE + kk)));
            }
#pragma unroll
            for (int m = 0; m < MT; ++m) {
                unsigned fa[4];
                const int r = wm + m * 16 + lane % 16, kk = k + lane / 16 * 8;
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(address(as + r * LINE + kk)));
#pragma unroll
                for (int n = 0; n < NT; ++n)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                                 "{%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(acc[m][n][0]), "+f"(acc[m][n][1]), "+f"(acc[m][n][2]), "+f"(acc[m][n][3])
                                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[n][0]), "r"(fb[n][1]));
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < MT; ++m)
#pragma unroll
        for (int n = 0; n < NT; ++n)
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                const int row = blockIdx.y * BM + wm + m * 16 + lane / 4 + h * 8;
                const int col = blockIdx.x * BN + wn + n * 8 + lane % 4 * 2;
                *reinterpret_cast<float2*>(c + (size_t)row * N + col) = make_float2(acc[m][n][h * 2], acc[m][n][h * 2 + 1]);
            }
}
