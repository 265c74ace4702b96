// First layer of an image network: 3 x 3 convolution from three to sixteen channels with padding and ReLU, weights in
// constant memory, ROWS_EACH rows and OC_EACH channels a thread.
#define W3(a) a, 0.5f - a, a * a - 0.3f
#define W9(a) W3(a), W3(a + 0.07f), W3(a - 0.19f)
#define W27(a) W9(a), W9(a * 0.7f), W9(0.1f - a)
__constant__ float weights[16 * 27] = {
    W27(0.11f), W27(0.23f), W27(-0.31f), W27(0.42f), W27(0.05f), W27(-0.16f), W27(0.27f), W27(-0.38f),
    W27(0.49f), W27(0.12f), W27(-0.21f), W27(0.33f), W27(-0.44f), W27(0.02f), W27(0.14f), W27(-0.25f)};

constexpr int H = 384, W = 512, BLOCK_Y = 128 / BLOCK_X;

extern "C" __global__ void first_conv_constant(const float* __restrict__ image, float* __restrict__ out)
{
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y0 = (blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS_EACH;
    const int batch = blockIdx.z / (16 / OC_EACH), oc0 = blockIdx.z % (16 / OC_EACH) * OC_EACH;
    float acc[ROWS_EACH][OC_EACH] = {};
    for (int c = 0; c < 3; ++c) {
        const float* plane = image + (size_t)(batch * 3 + c) * H * W;
        float in[ROWS_EACH + 2][3];
#pragma unroll
        for (int r = 0; r < ROWS_EACH + 2; ++r)
#pragma unroll
            for (int s = 0; s < 3; ++s) {
                const int yy = y0 + r - 1, xx = x + s - 1;
                in[r][s] = yy >= 0 && yy < H && xx >= 0 && xx < W ? plane[yy * W + xx] : 0.0f;
            }
#pragma unroll
        for (int o = 0; o < OC_EACH; ++o)
#pragma unroll
            for (int k = 0; k < 9; ++k) {
                const float w = weights[(oc0 + o) * 27 + c * 9 + k];
#pragma unroll
                for (int r = 0; r < ROWS_EACH; ++r) acc[r][o] += w * in[r + k / 3][k % 3];
            }
    }
#pragma unroll
    for (int o = 0; o < OC_EACH; ++o)
#pragma unroll
        for (int r = 0; r < ROWS_EACH; ++r)
            out[(size_t)(batch * 16 + oc0 + o) * H * W + (y0 + r) * W + x] = fmaxf(acc[r][o], 0.0f);
}
