// C = A B; the next tiles go from registers to the other buffer, so one barrier a step is enough.
constexpr int N = 1024, BN = 128, TM = 8, TX = BN / TN, THREADS = BM / TM * TX, LA = BM + 4;
constexpr int NA = BM * BK / 4, NB = BK * BN / 4, CA = (NA + THREADS - 1) / THREADS, CB = (NB + THREADS - 1) / THREADS;

extern "C" __global__ void __launch_bounds__(THREADS)
sgemm_nn_two_buffers(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    alignas(16) __shared__ float as[BUFFERS][BK][LA];
    alignas(16) __shared__ float bs[BUFFERS][BK][BN];
    const int t = threadIdx.x, tx = t % TX, ty = t / TX, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float4 na[CA], nb[CB];
    float acc[TM][TN] = {};
    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < CA; ++i) {
            const int at = t + i * THREADS;
            if (at < NA) na[i] = *reinterpret_cast<const float4*>(a + (row0 + at / (BK / 4)) * N + k0 + at % (BK / 4) * 4);
        }
#pragma unroll
        for (int i = 0; i < CB; ++i) {
            const int at = t + i * THREADS;
            if (at < NB) nb[i] = *reinterpret_cast<const float4*>(b + (k0 + at / (BN / 4)) * N + col0 + at % (BN / 4) * 4);
        }
    };
    auto put = [&](int s) {
#pragma unroll
        for (int i = 0; i < CA; ++i) {
            const int at = t + i * THREADS, r = at / (BK / 4), k = at % (BK / 4) * 4;
            if (at < NA) {
                as[s][k][r] = na[i].x;
                as[s][k + 1][r] = na[i].y;
                as[s][k + 2][r] = na[i].z;
                as[s][k + 3][r] = na[i].w;
            }
        }
#pragma unroll
        for (int i = 0; i < CB; ++i) {
            const int at = t + i * THREADS;
            if (at < NB) *reinterpret_cast<float4*>(&bs[s][at / (BN / 4)][at % (BN / 4) * 4]) = nb[i];
        }
    };
    fetch(0);
    put(0);
    __syncthreads();
    int side = 0;
#pragma unroll 1
    for (int k0 = 0; k0 < N; k0 += BK) {
        if (k0 + BK < N) fetch(k0 + BK);
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float fa[TM], fb[TN];
#pragma unroll
            for (int i = 0; i < TM; i += 4) *reinterpret_cast<float4*>(fa + i) = *reinterpret_cast<const float4*>(&as[side][k][ty * TM + i]);
#pragma unroll
            for (int j = 0; j < TN; j += 4) *reinterpret_cast<float4*>(fb + j) = *reinterpret_cast<const float4*>(&bs[side][k][j * TX + tx * 4]);
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] += fa[i] * fb[j];
        }
        if (BUFFERS == 1) __syncthreads();
        if (BUFFERS == 2) side ^= 1;
        if (k0 + BK < N) put(side);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            *reinterpret_cast<float4*>(c + (row0 + ty * TM + i) * N + col0 + j * TX + tx * 4) = make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
}
