// FP32 matrix product without shared memory: a warp's lanes have neighbouring columns, numbers of A are the same in all lanes.
constexpr int M = 512, N = 1024, K = 1024;
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(32 * BY)
sgemm_lanes_no_shared(const float* __restrict__ a, const Pack* __restrict__ b, Pack* __restrict__ c)
{
    constexpr int U = UNROLL;
    const int column = blockIdx.x * 32 + threadIdx.x, row = (blockIdx.y * BY + threadIdx.y) * TM;
    float acc[TM][VEC] = {};
#pragma unroll U
    for (int k = 0; k < K; ++k) {
        const Pack y = b[k * (N / VEC) + column];
#pragma unroll
        for (int i = 0; i < TM; ++i) {
            const float x = a[(row + i) * K + k];
#pragma unroll
            for (int j = 0; j < VEC; ++j) acc[i][j] += x * y.v[j];
        }
    }
#pragma unroll
    for (int i = 0; i < TM; ++i) {
        Pack p;
#pragma unroll
        for (int j = 0; j < VEC; ++j) p.v[j] = acc[i][j];
        c[(row + i) * (N / VEC) + column] = p;
    }
}
