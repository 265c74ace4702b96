// Convolution of 3 x 3 over NHWC with 32 channels in and out; a patch of 8 x 8 pixels in shared memory, weights by taps there, too, or not.
constexpr int N = 64, C = 32, LD = C + PAD * 4, TO = C / OT, THREADS = 64 / PT * TO;

extern "C" __global__ void __launch_bounds__(THREADS)
conv3x3_nhwc_f32_patch(const float* __restrict__ in, const float* __restrict__ weight, float* __restrict__ out)
{
    alignas(16) __shared__ float patch[100][LD];
    alignas(16) __shared__ float ws[STAGED ? C * C : 4];
    const int x0 = blockIdx.x * 8, y0 = blockIdx.y * 8, o = threadIdx.x % TO * OT, px = threadIdx.x / TO % (8 / PT) * PT, py = threadIdx.x / TO / (8 / PT);
    const size_t image = (size_t)blockIdx.z * N * N;
    for (int i = threadIdx.x; i < 100 * C / 4; i += THREADS) {
        const int p = i / (C / 4), c = i % (C / 4) * 4, y = y0 + p / 10 - 1, x = x0 + p % 10 - 1;
        float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (y >= 0 && y < N && x >= 0 && x < N) v = *reinterpret_cast<const float4*>(in + (image + y * N + x) * C + c);
        *reinterpret_cast<float4*>(&patch[p][c]) = v;
    }
    if (!STAGED) __syncthreads();
    float sum[PT][OT] = {};
#pragma unroll 1
    for (int tap = 0; tap < 9; ++tap) {
        if (STAGED) {
            __syncthreads();
            for (int i = threadIdx.x; i < C * C / 4; i += THREADS)
                *reinterpret_cast<float4*>(ws + (STAGED ? i * 4 : 0)) = *reinterpret_cast<const float4*>(weight + tap * C * C + i * 4);
            __syncthreads();
        }
        const int at = (py + tap / 3) * 10 + px + tap % 3;
#pragma unroll 4
        for (int c = 0; c < C; ++c) {
            float w[OT];
#pragma unroll
            for (int j = 0; j < OT; j += 4)
                *reinterpret_cast<float4*>(w + j) = *reinterpret_cast<const float4*>(STAGED ? ws + (STAGED ? c * C + o + j : 0) : weight + (tap * C + c) * C + o + j);
#pragma unroll
            for (int p = 0; p < PT; ++p) {
                const float v = patch[at + p][c];
#pragma unroll
                for (int j = 0; j < OT; ++j) sum[p][j] += v * w[j];
            }
        }
    }
#pragma unroll
    for (int p = 0; p < PT; ++p)
#pragma unroll
        for (int j = 0; j < OT; j += 4)
            *reinterpret_cast<float4*>(out + (image + (y0 + py) * N + x0 + px + p) * C + o + j) =
                make_float4(sum[p][j], sum[p][j + 1], sum[p][j + 2], sum[p][j + 3]);
}
