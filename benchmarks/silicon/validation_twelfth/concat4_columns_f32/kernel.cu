// Concatenation of four matrices of different widths along their columns: by where a number goes, or by where it comes from.
constexpr int WIDTH = 64 + 128 + 256 + 192;
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
concat4_columns_f32(const Pack* __restrict__ a, const Pack* __restrict__ b, const Pack* __restrict__ c, const Pack* __restrict__ d, Pack* __restrict__ out)
{
    constexpr int W = WIDTH / VEC, A = 64 / VEC, B = 128 / VEC, C = 256 / VEC, D = 192 / VEC;
    if (BY_ROW) {
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const size_t row = (size_t)blockIdx.x * EACH + e;
            for (int i = threadIdx.x; i < W; i += THREADS)
                out[row * W + i] = i < A ? a[row * A + i] : i < A + B ? b[row * B + i - A] : i < A + B + C ? c[row * C + i - A - B] : d[row * D + i - A - B - C];
        }
    } else {
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const unsigned id = (blockIdx.x * EACH + e) * THREADS + threadIdx.x, row = id / W, i = id % W;
            if (row < 32768)
                out[id] = i < A ? a[row * A + i] : i < A + B ? b[row * B + i - A] : i < A + B + C ? c[row * C + i - A - B] : d[row * D + i - A - B - C];
        }
    }
}
