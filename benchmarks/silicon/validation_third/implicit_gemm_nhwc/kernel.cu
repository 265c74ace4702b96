// 3 x 3 convolution as an implicit matrix product over NHWC: rows are output positions, columns output channels, the
// depth runs over taps and input channels. 4 x 4 results a thread.
constexpr int SIDE = 28, CHANNELS = 128, FILTERS = 128, IMAGES = 4, OUT = SIDE / STRIDE, M = IMAGES * OUT * OUT;
constexpr int ACROSS = TILE / 4, THREADS = ACROSS * ACROSS;

extern "C" __global__ void __launch_bounds__(THREADS)
implicit_gemm_nhwc(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y)
{
    __shared__ __align__(16) float sa[DEPTH][TILE + 4], sb[DEPTH][TILE + 4];
    const int t = threadIdx.x, tx = t % ACROSS, ty = t / ACROSS, m0 = blockIdx.x * TILE, k0 = blockIdx.y * TILE;
    float acc[4][4] = {};
    for (int tap = 0; tap < 9; ++tap)
        for (int c0 = 0; c0 < CHANNELS; c0 += DEPTH) {
            for (int i = t; i < TILE * DEPTH / 4; i += THREADS) {
                const int r = i / (DEPTH / 4), c = i % (DEPTH / 4) * 4, m = m0 + r;
                const int n = m / (OUT * OUT), p = m / OUT % OUT, q = m % OUT;
                const int yy = p * STRIDE + tap / 3 - 1, xx = q * STRIDE + tap % 3 - 1;
                float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
                if (m < M && yy >= 0 && yy < SIDE && xx >= 0 && xx < SIDE)
                    v = *reinterpret_cast<const float4*>(x + (size_t)((n * SIDE + yy) * SIDE + xx) * CHANNELS + c0 + c);
                sa[c][r] = v.x;
                sa[c + 1][r] = v.y;
                sa[c + 2][r] = v.z;
                sa[c + 3][r] = v.w;
                const float4 f = *reinterpret_cast<const float4*>(w + (size_t)((k0 + r) * 9 + tap) * CHANNELS + c0 + c);
                sb[c][r] = f.x;
                sb[c + 1][r] = f.y;
                sb[c + 2][r] = f.z;
                sb[c + 3][r] = f.w;
            }
            __syncthreads();
#pragma unroll
            for (int c = 0; c < DEPTH; ++c) {
                const float4 a = *reinterpret_cast<const float4*>(&sa[c][ty * 4]);
                const float4 b = *reinterpret_cast<const float4*>(&sb[c][tx * 4]);
                const float fa[4] = {a.x, a.y, a.z, a.w}, fb[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
                for (int i = 0; i < 4; ++i)
#pragma unroll
                    for (int j = 0; j < 4; ++j) acc[i][j] += fa[i] * fb[j];
            }
            __syncthreads();
        }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int m = m0 + ty * 4 + i;
        if (m < M)
            *reinterpret_cast<float4*>(y + (size_t)m * FILTERS + k0 + tx * 4) =
                make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
    }
}
