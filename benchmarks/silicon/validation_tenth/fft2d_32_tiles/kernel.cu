// Decimation in frequency; results are in the order of reversed bits on both axes.
constexpr int LD = 32 + PAD, WARPS = THREADS / 32;

extern "C" __global__ void __launch_bounds__(THREADS)
fft2d_32_tiles(const float2* __restrict__ x, float2* __restrict__ y)
{
    __shared__ float2 tile[32 * LD], roots[16];
    if (TABLE && threadIdx.x < 16) sincospif(threadIdx.x / -16.0f, &roots[threadIdx.x].y, &roots[threadIdx.x].x);
    auto root = [&](int k) {
        if (TABLE) return roots[k];
        float2 w;
        __sincosf(k * -0.19634954f, &w.y, &w.x);
        return w;
    };
    const float2* from = x + (size_t)blockIdx.x * 1024;
    for (int i = threadIdx.x; i < 1024; i += THREADS) tile[i / 32 * LD + i % 32] = from[i];
    __syncthreads();
#pragma unroll
    for (int axis = 0; axis < 2; ++axis) {
        const int along = axis ? LD : 1, across = axis ? 1 : LD;
        if (SHUFFLES) {
            const int lane = threadIdx.x % 32;
            for (int r = threadIdx.x / 32; r < 32; r += WARPS) {
                float2 a = tile[r * across + lane * along];
#pragma unroll
                for (int d = 16; d; d >>= 1) {
                    const float2 o = make_float2(__shfl_xor_sync(~0u, a.x, d), __shfl_xor_sync(~0u, a.y, d));
                    const float2 w = root(lane % d * (16 / d));
                    const float2 m = make_float2(o.x - a.x, o.y - a.y);
                    a = lane & d ? make_float2(m.x * w.x - m.y * w.y, m.x * w.y + m.y * w.x) : make_float2(a.x + o.x, a.y + o.y);
                }
                tile[r * across + lane * along] = a;
            }
            __syncthreads();
        } else {
#pragma unroll 1
            for (int d = 16; d; d >>= 1) {
                for (int i = threadIdx.x; i < 512; i += THREADS) {
                    const int r = axis ? i % 32 : i / 16, k = axis ? i / 32 : i % 16;
                    const int low = k % d, p = r * across + (k / d * 2 * d + low) * along, q = p + d * along;
                    const float2 a = tile[p], b = tile[q], w = root(low * (16 / d)), m = make_float2(a.x - b.x, a.y - b.y);
                    tile[p] = make_float2(a.x + b.x, a.y + b.y);
                    tile[q] = make_float2(m.x * w.x - m.y * w.y, m.x * w.y + m.y * w.x);
                }
                __syncthreads();
            }
        }
    }
    for (int i = threadIdx.x; i < 1024; i += THREADS) y[(size_t)blockIdx.x * 1024 + i] = tile[i / 32 * LD + i % 32];
}
