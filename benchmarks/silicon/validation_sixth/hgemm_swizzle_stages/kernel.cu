// 1,024 x 1,024 by 1,024 x 1,152; four warps in a square; B is transposed by ldmatrix.
#include <cuda_fp16.h>

constexpr int N = 1152, K = 1024, BK = 32, TILES = K / BK;
constexpr int A_STRIDE = BK + 8 * PADDED, B_STRIDE = BN + 8 * PADDED, A_SIZE = BM * A_STRIDE, B_SIZE = BK * B_STRIDE;
constexpr int WM = BM / 2, WN = BN / 2, MI = WM / 16, NI = WN / 8;

__device__ int a_place(int row, int chunk)
{
#if PADDED
    return row * A_STRIDE + chunk * 8;
#else
    return row * A_STRIDE + (chunk ^ row >> 1 & 3) * 8;
#endif
}

__device__ int b_place(int row, int chunk)
{
#if PADDED
    return row * B_STRIDE + chunk * 8;
#else
    return row * B_STRIDE + (chunk ^ row & 7) * 8;
#endif
}

__device__ void copy16(__half* to, const __half* from)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
}

__device__ void fetch(__half* as, __half* bs, const __half* a, const __half* b, int tile)
{
    for (int i = threadIdx.x; i < BM * 4; i += 128) {
        const int row = i / 4, chunk = i % 4;
        copy16(as + a_place(row, chunk), a + (size_t)(blockIdx.y * BM + row) * K + tile * BK + chunk * 8);
    }
    for (int i = threadIdx.x; i < BK * (BN / 8); i += 128) {
        const int row = i / (BN / 8), chunk = i % (BN / 8);
        copy16(bs + b_place(row, chunk), b + (size_t)(tile * BK + row) * N + blockIdx.x * BN + chunk * 8);
    }
}

extern "C" __global__ void __launch_bounds__(128)
hgemm_swizzle_stages(const __half* __restrict__ a, const __half* __restrict__ b, __half* __restrict__ c)
{
    extern __shared__ __align__(16) __half memory[];
    const int lane = threadIdx.x % 32, wm = threadIdx.x / 64 * WM, wn = threadIdx.x / 32 % 2 * WN;
    float acc[MI][NI][4] = {};
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        __half* as = memory + s * (A_SIZE + B_SIZE);
        fetch(as, as + A_SIZE, a, b, s);
        asm volatile("cp.async.commit_group;");
    }
    int stage = 0;
    for (int t = 0; t < TILES; ++t) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        if (t + STAGES - 1 < TILES) {
            const int next = stage == 0 ? STAGES - 1 : stage - 1;
            __half* as = memory + next * (A_SIZE + B_SIZE);
            fetch(as, as + A_SIZE, a, b, t + STAGES - 1);
        }
        asm volatile("cp.async.commit_group;");
        const __half *as = memory + stage * (A_SIZE + B_SIZE), *bs = as + A_SIZE;
#pragma unroll
        for (int k = 0; k < BK / 16; ++k) {
            unsigned fa[MI][4], fb[NI][2];
#pragma unroll
            for (int i = 0; i < MI; ++i) {
                const unsigned at =
                    (unsigned)__cvta_generic_to_shared(as + a_place(wm + i * 16 + lane % 16, k * 2 + lane / 16));
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3])
                             : "r"(at));
            }
#pragma unroll
            for (int j = 0; j < NI; j += 2) {
                const unsigned at =
                    (unsigned)__cvta_generic_to_shared(bs + b_place(k * 16 + lane % 16, (wn + j * 8) / 8 + lane / 16));
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(fb[j][0]), "=r"(fb[j][1]), "=r"(fb[j + 1][0]), "=r"(fb[j + 1][1])
                             : "r"(at));
            }
#pragma unroll
            for (int i = 0; i < MI; ++i)
#pragma unroll
                for (int j = 0; j < NI; ++j)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                                 : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]),
                                   "r"(fb[j][1]));
        }
        stage = stage == STAGES - 1 ? 0 : stage + 1;
    }
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
        for (int j = 0; j < NI; ++j) {
            const int row = blockIdx.y * BM + wm + i * 16 + lane / 4;
            const int col = blockIdx.x * BN + wn + j * 8 + lane % 4 * 2;
            *reinterpret_cast<__half2*>(c + (size_t)row * N + col) = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
            *reinterpret_cast<__half2*>(c + (size_t)(row + 8) * N + col) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
        }
}
