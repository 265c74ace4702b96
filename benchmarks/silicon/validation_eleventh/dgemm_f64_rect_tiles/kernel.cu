// FP64 product by tiles of 64 x 64; a thread has TM x 4 results.
constexpr int N = 1024, BM = 64, BN = 64, THREADS = BM / TM * 16, PAD = PADDED ? 2 : 0;
constexpr int LA = BM * BK / 2 / THREADS, LB = BK * BN / 2 / THREADS;

extern "C" __global__ void __launch_bounds__(THREADS)
dgemm_f64_rect_tiles(const double* __restrict__ a, const double* __restrict__ b, double* __restrict__ c)
{
    __shared__ double as[BK][BM + PAD];
    __shared__ double2 bs[BK][BN / 2];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    double acc[TM][4] = {};
    double2 ra[LA], rb[LB];
    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < LA; ++i) {
            const int e = i * THREADS + threadIdx.x, r = e / (BK / 2), q = e % (BK / 2) * 2;
            ra[i] = *reinterpret_cast<const double2*>(a + (size_t)(row0 + r) * N + k0 + q);
        }
#pragma unroll
        for (int i = 0; i < LB; ++i) {
            const int e = i * THREADS + threadIdx.x, r = e / (BN / 2), q = e % (BN / 2) * 2;
            rb[i] = *reinterpret_cast<const double2*>(b + (size_t)(k0 + r) * N + col0 + q);
        }
    };
    auto put = [&]() {
#pragma unroll
        for (int i = 0; i < LA; ++i) {
            const int e = i * THREADS + threadIdx.x, r = e / (BK / 2), q = e % (BK / 2) * 2;
            as[q][r] = ra[i].x;
            as[q + 1][r] = ra[i].y;
        }
#pragma unroll
        for (int i = 0; i < LB; ++i) {
            const int e = i * THREADS + threadIdx.x;
            bs[e / (BN / 2)][e % (BN / 2)] = rb[i];
        }
    };
    if (AHEAD) fetch(0);
#pragma unroll 1
    for (int k0 = 0; k0 < N; k0 += BK) {
        if (!AHEAD) fetch(k0);
        put();
        __syncthreads();
        if (AHEAD && k0 + BK < N) fetch(k0 + BK);
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            double x[TM];
            const double2 p = bs[k][tx], q = bs[k][tx + 16];
#pragma unroll
            for (int i = 0; i < TM; ++i) x[i] = as[k][ty * TM + i];
#pragma unroll
            for (int i = 0; i < TM; ++i) {
                acc[i][0] += x[i] * p.x;
                acc[i][1] += x[i] * p.y;
                acc[i][2] += x[i] * q.x;
                acc[i][3] += x[i] * q.y;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i) {
        double2* to = reinterpret_cast<double2*>(c + (size_t)(row0 + ty * TM + i) * N + col0);
        to[tx] = make_double2(acc[i][0], acc[i][1]);
        to[tx + 16] = make_double2(acc[i][2], acc[i][3]);
    }
}
