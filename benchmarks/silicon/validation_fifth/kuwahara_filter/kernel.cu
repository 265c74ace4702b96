// Mean of the one of four quadrants around a pixel whose brightness varies least; borders repeat.
constexpr int W = 1024, H = 512, R = SIDE - 1, TW = 32 + 2 * R, TH = BLOCK_Y + 2 * R;

#if COLOUR
typedef float4 Pixel;
__device__ float light(float4 p) { return 0.3f * p.x + 0.59f * p.y + 0.11f * p.z; }
__device__ float4 plus(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, 0.0f); }
__device__ float4 times(float4 a, float s) { return make_float4(a.x * s, a.y * s, a.z * s, 1.0f); }
#else
typedef float Pixel;
__device__ float light(float p) { return p; }
__device__ float plus(float a, float b) { return a + b; }
__device__ float times(float a, float s) { return a * s; }
#endif

extern "C" __global__ void __launch_bounds__(32 * BLOCK_Y)
kuwahara_filter(const Pixel* __restrict__ image, Pixel* __restrict__ out)
{
    const int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * BLOCK_Y;
    auto pixel = [&](int x, int y) { return image[min(max(y, 0), H - 1) * W + min(max(x, 0), W - 1)]; };
#if IN_SHARED
    __shared__ Pixel tile[TH][TW];
    for (int i = ty * 32 + tx; i < TW * TH; i += 32 * BLOCK_Y) tile[i / TW][i % TW] = pixel(x0 + i % TW - R, y0 + i / TW - R);
    __syncthreads();
    auto get = [&](int dy, int dx) { return tile[ty + R + dy][tx + R + dx]; };
#else
    auto get = [&](int dy, int dx) { return pixel(x0 + tx + dx, y0 + ty + dy); };
#endif
    constexpr float share = 1.0f / (SIDE * SIDE);
    Pixel best = {};
    float least = 1e30f;
#pragma unroll
    for (int q = 0; q < 4; ++q) {
        const int top = q / 2 ? 0 : -R, left = q % 2 ? 0 : -R;
        Pixel sum = {};
        float mean = 0.0f, squares = 0.0f;
#pragma unroll
        for (int i = 0; i < SIDE; ++i)
#pragma unroll
            for (int j = 0; j < SIDE; ++j) {
                const Pixel p = get(top + i, left + j);
                const float l = light(p);
                sum = plus(sum, p);
                mean += l;
                squares += l * l;
            }
        const float variance = squares * share - mean * mean * share * share;
        if (variance < least) {
            least = variance;
            best = times(sum, share);
        }
    }
    out[(y0 + ty) * W + x0 + tx] = best;
}
