// 8 images of 3 x 256 x 256, without padding; the filters stay zeros, which the compiler does not know.
constexpr int W = 256, OW = 252, CIN = 3, COUT = 16, SPLITS = COUT / OC;
__constant__ float filters[COUT * CIN * 25];

extern "C" __global__ void __launch_bounds__(32 * BLOCK_Y)
conv5x5_constant_nchw(const float* __restrict__ x, float* __restrict__ y)
{
    const int ox = (blockIdx.x * 32 + threadIdx.x) * PX, oy = blockIdx.y * BLOCK_Y + threadIdx.y;
    const int image = blockIdx.z / SPLITS, c0 = blockIdx.z % SPLITS * OC;
    if (ox >= OW || oy >= OW) return;
    float acc[OC][PX] = {};
#pragma unroll 1
    for (int ci = 0; ci < CIN; ++ci)
#pragma unroll
        for (int ky = 0; ky < 5; ++ky) {
            float f[PX + 4];
#pragma unroll
            for (int i = 0; i < PX + 4; ++i) f[i] = x[((image * CIN + ci) * W + oy + ky) * W + ox + i];
#pragma unroll
            for (int o = 0; o < OC; ++o)
#pragma unroll
                for (int kx = 0; kx < 5; ++kx) {
                    const float w = filters[((c0 + o) * CIN + ci) * 25 + ky * 5 + kx];
#pragma unroll
                    for (int p = 0; p < PX; ++p) acc[o][p] += w * f[p + kx];
                }
        }
#pragma unroll
    for (int o = 0; o < OC; ++o)
#pragma unroll
        for (int p = 0; p < PX; ++p) y[((image * COUT + c0 + o) * OW + oy) * OW + ox + p] = acc[o][p];
}
