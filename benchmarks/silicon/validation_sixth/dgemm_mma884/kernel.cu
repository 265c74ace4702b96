// 768 x 512 by 512 x 768, both by rows; four warps in a square.
constexpr int N = 768, K = 512, TILES = K / BK, WM = BM / 2, WN = BN / 2, MI = WM / 8, NI = WN / 8;
constexpr int LA = BM * BK / 256, LB = BN * BK / 256;

struct Ahead { double2 a[LA], b[LB]; };

__device__ Ahead read(const double* a, const double* b, int tile)
{
    Ahead x;
#pragma unroll
    for (int l = 0; l < LA; ++l) {
        const int i = l * 128 + threadIdx.x, row = i / (BK / 2), col = i % (BK / 2) * 2;
        x.a[l] = *reinterpret_cast<const double2*>(a + (blockIdx.y * BM + row) * K + tile * BK + col);
    }
#pragma unroll
    for (int l = 0; l < LB; ++l) {
        const int i = l * 128 + threadIdx.x, row = i / (BN / 2), col = i % (BN / 2) * 2;
        x.b[l] = *reinterpret_cast<const double2*>(b + (tile * BK + row) * N + blockIdx.x * BN + col);
    }
    return x;
}

extern "C" __global__ void __launch_bounds__(128)
dgemm_mma884(const double* __restrict__ a, const double* __restrict__ b, double* __restrict__ c)
{
    __shared__ __align__(16) double as[BM][BK + 4], bs[BK][BN + 4];
    const int lane = threadIdx.x % 32, wm = threadIdx.x / 64 * WM, wn = threadIdx.x / 32 % 2 * WN;
    double acc[MI][NI][2] = {};
#if AHEAD
    Ahead x = read(a, b, 0);
#endif
    for (int t = 0; t < TILES; ++t) {
#if !AHEAD
        const Ahead x = read(a, b, t);
#endif
#pragma unroll
        for (int l = 0; l < LA; ++l) {
            const int i = l * 128 + threadIdx.x;
            *reinterpret_cast<double2*>(&as[i / (BK / 2)][i % (BK / 2) * 2]) = x.a[l];
        }
#pragma unroll
        for (int l = 0; l < LB; ++l) {
            const int i = l * 128 + threadIdx.x;
            *reinterpret_cast<double2*>(&bs[i / (BN / 2)][i % (BN / 2) * 2]) = x.b[l];
        }
        __syncthreads();
#if AHEAD
        if (t + 1 < TILES) x = read(a, b, t + 1);
#endif
#pragma unroll
        for (int k = 0; k < BK; k += 4) {
            double fa[MI], fb[NI];
#pragma unroll
            for (int i = 0; i < MI; ++i) fa[i] = as[wm + i * 8 + lane / 4][k + lane % 4];
#pragma unroll
            for (int j = 0; j < NI; ++j) fb[j] = bs[k + lane % 4][wn + j * 8 + lane / 4];
#pragma unroll
            for (int i = 0; i < MI; ++i)
#pragma unroll
                for (int j = 0; j < NI; ++j)
                    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                                 : "+d"(acc[i][j][0]), "+d"(acc[i][j][1])
                                 : "d"(fa[i]), "d"(fb[j]));
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
        for (int j = 0; j < NI; ++j) {
            const int row = blockIdx.y * BM + wm + i * 8 + lane / 4, col = blockIdx.x * BN + wn + j * 8 + lane % 4 * 2;
            *reinterpret_cast<double2*>(c + row * N + col) = make_double2(acc[i][j][0], acc[i][j][1]);
        }
}
