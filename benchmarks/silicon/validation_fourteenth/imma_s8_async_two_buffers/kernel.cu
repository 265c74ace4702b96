// mma.m16n8k32 of bytes; rows in shared memory are padded by 16 bytes.
constexpr int M = 2048, N = 2048, K = 2048, THREADS = 128, LD = BK + 16, FM = BM / 32, FN = BN / 16, ROW = BK / 16;

__device__ __forceinline__ unsigned at_shared(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void copy16(void* to, const void* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at_shared(to)), "l"(from) : "memory");
}
__device__ __forceinline__ void ldsm4(unsigned* r, const void* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at_shared(p)) : "memory");
}
__device__ __forceinline__ unsigned word(const signed char* p) { return *reinterpret_cast<const unsigned*>(p); }

extern "C" __global__ void __launch_bounds__(THREADS)
imma_s8_async_two_buffers(const signed char* __restrict__ a, const signed char* __restrict__ b, int* __restrict__ c)
{
    alignas(16) __shared__ signed char as[2][BM * LD];
    alignas(16) __shared__ signed char bs[2][BN * LD];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    const int m0 = warp / 2 * (BM / 2), n0 = warp % 2 * (BN / 2), mat = lane / 8, g = lane / 4, q = lane % 4 * 4;
    int acc[FM][FN][4] = {};
    auto start = [&](int k0, int s) {
#pragma unroll
        for (int i = t; i < BM * ROW; i += THREADS) copy16(&as[s][i / ROW * LD + i % ROW * 16], a + (size_t)(row0 + i / ROW) * K + k0 + i % ROW * 16);
#pragma unroll
        for (int i = t; i < BN * ROW; i += THREADS) copy16(&bs[s][i / ROW * LD + i % ROW * 16], b + (size_t)(col0 + i / ROW) * K + k0 + i % ROW * 16);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    start(0, 0);
    int side = 0;
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK, side ^= 1) {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        if (k0 + BK < K) start(k0 + BK, side ^ 1);
#pragma unroll
        for (int k = 0; k < BK; k += 32) {
            unsigned fa[FM][4];
#pragma unroll
            for (int i = 0; i < FM; ++i) {
                if (MATRIX) {
                    ldsm4(fa[i], as[side] + (m0 + i * 16 + lane % 16) * LD + k + lane / 16 * 16);
                } else {
                    const signed char* p = as[side] + (m0 + i * 16 + g) * LD + k + q;
                    fa[i][0] = word(p);
                    fa[i][1] = word(p + 8 * LD);
                    fa[i][2] = word(p + 16);
                    fa[i][3] = word(p + 8 * LD + 16);
                }
            }
#pragma unroll
            for (int j = 0; j < FN; j += 2) {
                unsigned fb[4];
                if (MATRIX) {
                    ldsm4(fb, bs[side] + (n0 + j * 8 + lane % 8 + mat / 2 * 8) * LD + k + mat % 2 * 16);
                } else {
                    const signed char* p = bs[side] + (n0 + j * 8 + g) * LD + k + q;
                    fb[0] = word(p);
                    fb[1] = word(p + 16);
                    fb[2] = word(p + 8 * LD);
                    fb[3] = word(p + 8 * LD + 16);
                }
#pragma unroll
                for (int i = 0; i < FM; ++i)
#pragma unroll
                    for (int h = 0; h < 2; ++h) {
                        int* d = acc[i][j + h];
                        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                                     : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[2 * h]), "r"(fb[2 * h + 1]));
                    }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < FM; ++i)
#pragma unroll
        for (int j = 0; j < FN; ++j)
#pragma unroll
            for (int h = 0; h < 2; ++h)
                *reinterpret_cast<int2*>(c + (size_t)(row0 + m0 + i * 16 + g + h * 8) * N + col0 + n0 + j * 8 + lane % 4 * 2) = make_int2(acc[i][j][2 * h], acc[i][j][2 * h + 1]);
}
