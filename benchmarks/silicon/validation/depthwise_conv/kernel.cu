// Depthwise convolution, NHWC, 3 x 3, 256 channels: neighbouring threads take neighbouring channels.
// VECTOR channels an access; a thread walks down ROWS_EACH rows with its nine weights in registers.
struct alignas(4 * VECTOR) Pack { float v[VECTOR]; };

extern "C" __global__ void depthwise_conv(const Pack* __restrict__ input, const Pack* __restrict__ filters,
                                          Pack* __restrict__ output) {
    constexpr int channels = 256 / VECTOR;
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x, c = i % channels, x = i / channels;
    if (x >= 56) return;
    Pack w[9];
#pragma unroll
    for (int k = 0; k < 9; ++k) w[k] = filters[k * channels + c];
    for (int r = 0; r < ROWS_EACH; ++r) {
        int y = blockIdx.y * ROWS_EACH + r;
        Pack sum = {};
#pragma unroll
        for (int k = 0; k < 9; ++k) {
            Pack p = input[((blockIdx.z * 58 + y + k / 3) * 58 + x + k % 3) * channels + c];
#pragma unroll
            for (int j = 0; j < VECTOR; ++j) sum.v[j] = fmaf(p.v[j], w[k].v[j], sum.v[j]);
        }
        output[((blockIdx.z * 56 + y) * 56 + x) * channels + c] = sum;
    }
}
