// C = A B in FP32; GVEC numbers of a load from global memory, SVEC of one from shared memory.
constexpr int N = 2048, K = 512, BK = 16, TX = TILE / 4, THREADS = TX * TX;
struct alignas(GVEC * 4) Pack { float f[GVEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
sgemm_nn_load_widths(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    alignas(16) __shared__ float as[BK][TILE + 4];
    alignas(16) __shared__ float bs[BK][TILE];
    const int tx = threadIdx.x % TX, ty = threadIdx.x / TX, row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    float acc[4][4] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = threadIdx.x; i < TILE * BK / GVEC; i += THREADS) {
            const int r = i / (BK / GVEC), k = i % (BK / GVEC) * GVEC;
            const Pack p = *reinterpret_cast<const Pack*>(a + (row0 + r) * K + k0 + k);
#pragma unroll
            for (int j = 0; j < GVEC; ++j) as[k + j][r] = p.f[j];
        }
#pragma unroll
        for (int i = threadIdx.x; i < TILE * BK / GVEC; i += THREADS) {
            const int k = i / (TILE / GVEC), at = i % (TILE / GVEC) * GVEC;
            *reinterpret_cast<Pack*>(&bs[k][at]) = *reinterpret_cast<const Pack*>(b + (k0 + k) * N + col0 + at);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float x[4], y[4];
            if (SVEC == 4) {
                *reinterpret_cast<float4*>(x) = *reinterpret_cast<const float4*>(&as[k][ty * 4]);
                *reinterpret_cast<float4*>(y) = *reinterpret_cast<const float4*>(&bs[k][tx * 4]);
            } else {
#pragma unroll
                for (int i = 0; i < 4; ++i) x[i] = as[k][ty + i * TX], y[i] = bs[k][tx + i * TX];
            }
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int row = row0 + (SVEC == 4 ? ty * 4 + i : ty + i * TX);
        if (SVEC == 4) *reinterpret_cast<float4*>(c + row * N + col0 + tx * 4) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        else {
#pragma unroll
            for (int j = 0; j < 4; ++j) c[row * N + col0 + tx + j * TX] = acc[i][j];
        }
    }
}
