// 16 sequences of 32 channels and 4,096 times; before the first there are zeros. Weights are [input][tap][output].
constexpr int T = 4096, C = 32;

extern "C" __global__ void __launch_bounds__(128)
tcn_conv1d_dilated(const float* __restrict__ x, const float4* __restrict__ w, float* __restrict__ y)
{
    __shared__ float4 ws[STAGED ? C * 3 * C / 4 : 1];
    if (STAGED) {
        for (int i = threadIdx.x; i < C * 3 * C / 4; i += 128) ws[i] = w[i];
        __syncthreads();
    }
    const float4* from = STAGED ? ws : w;
    const int t0 = blockIdx.x * 128 * TT + threadIdx.x, c0 = blockIdx.y * CO;
    const float* base = x + (size_t)blockIdx.z * C * T;
    float acc[CO][TT] = {};
#pragma unroll 2
    for (int ci = 0; ci < C; ++ci)
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            float f[TT];
#pragma unroll
            for (int i = 0; i < TT; ++i) {
                const int t = t0 + i * 128 - k * DISTANCE;
                f[i] = t >= 0 ? base[ci * T + t] : 0.0f;
            }
#pragma unroll
            for (int o = 0; o < CO / 4; ++o) {
                const float4 g = from[((ci * 3 + k) * C + c0) / 4 + o];
#pragma unroll
                for (int i = 0; i < TT; ++i) {
                    acc[o * 4][i] += g.x * f[i];
                    acc[o * 4 + 1][i] += g.y * f[i];
                    acc[o * 4 + 2][i] += g.z * f[i];
                    acc[o * 4 + 3][i] += g.w * f[i];
                }
            }
        }
#pragma unroll
    for (int o = 0; o < CO; ++o)
#pragma unroll
        for (int i = 0; i < TT; ++i)
            y[((size_t)blockIdx.z * C + c0 + o) * T + t0 + i * 128] = fmaxf(acc[o][i], 0.0f);
}
