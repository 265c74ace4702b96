// C = A B for 1,024 x 1,024 results; A is given transposed, so both tiles are copied as they are.
constexpr int THREADS = 1024 / TM, LA = 16 * BK / THREADS > 0 ? 16 * BK / THREADS : 1, LB = 32 * BK / THREADS;
constexpr bool SOME = 16 * BK < THREADS;

extern "C" __global__ void __launch_bounds__(THREADS)
sgemm_pingpong_tiles(const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ c)
{
    __shared__ float4 as[1 + TWO][BK][16], bs[1 + TWO][BK][32];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row0 = blockIdx.y * 16, col0 = blockIdx.x * 32;
    float acc[TM][8] = {};
    float4 pa[LA], pb[LB];
    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < LA; ++i) {
            const int at = i * THREADS + threadIdx.x;
            if (!SOME || at < 16 * BK) pa[i] = a[(k0 + at / 16) * 256 + row0 + at % 16];
        }
#pragma unroll
        for (int i = 0; i < LB; ++i) {
            const int at = i * THREADS + threadIdx.x;
            pb[i] = b[(k0 + at / 32) * 256 + col0 + at % 32];
        }
    };
    auto put = [&](int turn) {
#pragma unroll
        for (int i = 0; i < LA; ++i) {
            const int at = i * THREADS + threadIdx.x;
            if (!SOME || at < 16 * BK) as[turn][at / 16][at % 16] = pa[i];
        }
#pragma unroll
        for (int i = 0; i < LB; ++i) {
            const int at = i * THREADS + threadIdx.x;
            bs[turn][at / 32][at % 32] = pb[i];
        }
    };
    fetch(0);
    put(0);
    __syncthreads();
    int turn = 0;
#pragma unroll 1
    for (int k0 = 0; k0 < DEPTH; k0 += BK) {
        if (k0 + BK < DEPTH) fetch(k0 + BK);
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float f[TM];
            const float4 g = bs[turn][k][tx], h = bs[turn][k][16 + tx];
            const float w[8] = {g.x, g.y, g.z, g.w, h.x, h.y, h.z, h.w};
#pragma unroll
            for (int i = 0; i < TM / 4; ++i) {
                const float4 v = as[turn][k][ty * (TM / 4) + i];
                f[4 * i] = v.x, f[4 * i + 1] = v.y, f[4 * i + 2] = v.z, f[4 * i + 3] = v.w;
            }
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j) acc[i][j] += f[i] * w[j];
        }
        if (k0 + BK < DEPTH) {
            if (TWO) turn ^= 1;
            else __syncthreads();
            put(turn);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i) {
        float4* to = c + (size_t)(row0 * 4 + ty * TM + i) * 256 + col0 + tx;
        to[0] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        to[16] = make_float4(acc[i][4], acc[i][5], acc[i][6], acc[i][7]);
    }
}
