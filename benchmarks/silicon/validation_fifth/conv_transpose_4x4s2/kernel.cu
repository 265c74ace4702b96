// 4 images of 16 channels and 64 x 64 pixels to 16 channels and 128 x 128; weights as [in][out][4][4].
constexpr int IN = 16, OUT = 16, SIDE = 64;

extern "C" __global__ void __launch_bounds__(32 * BLOCK_Y)
conv_transpose_4x4s2(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y)
{
    const int ox = blockIdx.x * 32 + threadIdx.x, oy = blockIdx.y * BLOCK_Y + threadIdx.y;
    const int image = blockIdx.z / (OUT / OC_EACH), oc = blockIdx.z % (OUT / OC_EACH) * OC_EACH;
#if WEIGHTS_SHARED
    __shared__ float taps[IN][OC_EACH][16];
    for (int i = threadIdx.y * 32 + threadIdx.x; i < IN * OC_EACH * 16; i += 32 * BLOCK_Y)
        taps[i / (OC_EACH * 16)][i / 16 % OC_EACH][i % 16] = w[(i / (OC_EACH * 16) * OUT + oc) * 16 + i % (OC_EACH * 16)];
    __syncthreads();
#endif
    // Output 2i + p takes inputs i and i - 1 (p = 0, taps 1 and 3) or i + 1 and i (p = 1, taps 0 and 2).
    const int px = ox % 2, py = oy % 2, ix = ox / 2 + px, iy = oy / 2 + py, kx = 1 - px, ky = 1 - py;
    float sum[OC_EACH] = {};
#pragma unroll 2
    for (int c = 0; c < IN; ++c) {
        const float* plane = x + (image * IN + c) * SIDE * SIDE;
#pragma unroll
        for (int a = 0; a < 2; ++a)
#pragma unroll
            for (int b = 0; b < 2; ++b) {
                const int yy = iy - a, xx = ix - b, tap = (ky + 2 * a) * 4 + kx + 2 * b;
                const float v = yy >= 0 && yy < SIDE && xx >= 0 && xx < SIDE ? plane[yy * SIDE + xx] : 0.0f;
#pragma unroll
                for (int o = 0; o < OC_EACH; ++o)
#if WEIGHTS_SHARED
                    sum[o] += v * taps[c][o][tap];
#else
                    sum[o] += v * w[(c * OUT + oc + o) * 16 + tap];
#endif
            }
    }
#pragma unroll
    for (int o = 0; o < OC_EACH; ++o) y[((image * OUT + oc + o) * 2 * SIDE + oy) * 2 * SIDE + ox] = sum[o];
}
