// C = A B^T with bytes by mma.sync of depth 32; ldmatrix reads fragments as if they were pairs of bytes.
constexpr int M = 2048, N = 2048, K = 2048, WM = BM / 2, WN = BN / 2, THREADS = 128, LD = BK + 16;
constexpr int FM = WM / 16, FN = WN / 8, STAGE = (BM + BN) * LD;

__device__ __forceinline__ void cp_async16(void* to, const void* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}

__device__ __forceinline__ void cp_async_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int N>
__device__ __forceinline__ void cp_async_wait()
{
    asm volatile("cp.async.wait_group %0;" :: "n"(N) : "memory");
}

__device__ __forceinline__ void ldmatrix_x4(unsigned* f, const void* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]) : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}

__device__ __forceinline__ void mma16832_s8(int* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(THREADS)
imma_s8_ldmatrix_tn(const signed char* __restrict__ a, const signed char* __restrict__ b, int* __restrict__ c)
{
    extern __shared__ __align__(16) char smem[];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wy = warp / 2 * WM, wx = warp % 2 * WN;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    int acc[FM][FN][4] = {};
    auto fetch = [&](int tile) {
        char *as = smem + tile % STAGES * STAGE, *bs = as + BM * LD;
        for (int i = threadIdx.x; i < BM * BK / 16; i += THREADS)
            cp_async16(as + i / (BK / 16) * LD + i % (BK / 16) * 16, a + (size_t)(row0 + i / (BK / 16)) * K + tile * BK + i % (BK / 16) * 16);
        for (int i = threadIdx.x; i < BN * BK / 16; i += THREADS)
            cp_async16(bs + i / (BK / 16) * LD + i % (BK / 16) * 16, b + (size_t)(col0 + i / (BK / 16)) * K + tile * BK + i % (BK / 16) * 16);
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        fetch(s);
        cp_async_commit();
    }
#pragma unroll 1
    for (int tile = 0; tile < K / BK; ++tile) {
        cp_async_wait<STAGES - 2>();
        __syncthreads();
        if (tile + STAGES - 1 < K / BK) fetch(tile + STAGES - 1);
        cp_async_commit();
        const char *as = smem + tile % STAGES * STAGE, *bs = as + BM * LD;
#pragma unroll
        for (int k = 0; k < BK; k += 32) {
            unsigned fa[FM][4], fb[FN / 2][4];
#pragma unroll
            for (int i = 0; i < FM; ++i) ldmatrix_x4(fa[i], as + (wy + i * 16 + lane % 16) * LD + k + lane / 16 * 16);
#pragma unroll
            for (int j = 0; j < FN / 2; ++j) ldmatrix_x4(fb[j], bs + (wx + j * 16 + lane / 16 * 8 + lane % 8) * LD + k + lane / 8 % 2 * 16);
#pragma unroll
            for (int i = 0; i < FM; ++i)
#pragma unroll
                for (int j = 0; j < FN; ++j) mma16832_s8(acc[i][j], fa[i], fb[j / 2] + j % 2 * 2);
        }
    }
#pragma unroll
    for (int i = 0; i < FM; ++i)
#pragma unroll
        for (int j = 0; j < FN; ++j)
#pragma unroll
            for (int r = 0; r < 2; ++r)
                *reinterpret_cast<int2*>(c + (size_t)(row0 + wy + i * 16 + r * 8 + lane / 4) * N + col0 + wx + j * 8 + lane % 4 * 2) =
                    make_int2(acc[i][j][2 * r], acc[i][j][2 * r + 1]);
}
