// Dilated convolution of 3 x 3 with zeros around; OC channels and ROWS rows a thread.
constexpr int C = 16, K = 32, S = 128;

extern "C" __global__ void __launch_bounds__(256)
conv3x3_dilated_nchw_f32(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y)
{
    __shared__ float ws[STAGED ? OC * C * 9 : 1];
    const int col = blockIdx.x * 32 + threadIdx.x, row0 = blockIdx.y * 8 * ROWS + threadIdx.y;
    const int image = blockIdx.z / (K / OC), k0 = blockIdx.z % (K / OC) * OC;
    if (STAGED) {
        for (int i = threadIdx.y * 32 + threadIdx.x; i < OC * C * 9; i += 256) ws[STAGED ? i : 0] = w[k0 * C * 9 + i];
        __syncthreads();
    }
    float acc[ROWS][OC] = {};
#pragma unroll 1
    for (int c = 0; c < C; ++c) {
        const float* plane = x + (image * C + c) * S * S;
#pragma unroll
        for (int t = 0; t < 9; ++t) {
            const int dx = (t % 3 - 1) * DILATION, dy = (t / 3 - 1) * DILATION;
            float v[ROWS];
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                const int yy = row0 + r * 8 + dy, xx = col + dx;
                v[r] = yy >= 0 && yy < S && xx >= 0 && xx < S ? plane[yy * S + xx] : 0.0f;
            }
#pragma unroll
            for (int k = 0; k < OC; ++k) {
                const float f = STAGED ? ws[STAGED ? (k * C + c) * 9 + t : 0] : w[((k0 + k) * C + c) * 9 + t];
#pragma unroll
                for (int r = 0; r < ROWS; ++r) acc[r][k] += v[r] * f;
            }
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
        for (int k = 0; k < OC; ++k) y[((image * K + k0 + k) * S + row0 + r * 8) * S + col] = acc[r][k];
}
