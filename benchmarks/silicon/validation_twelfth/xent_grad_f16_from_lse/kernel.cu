// Gradient of cross entropy from stored logarithms of sums, with a factor a row and ignored labels; elementwise over rows' chunks.
#include <cuda_fp16.h>
constexpr int VOCAB = 15000, V = VOCAB / VEC;
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
xent_grad_f16_from_lse(const Pack* __restrict__ logits, const int* __restrict__ label, const float* __restrict__ lse,
                       const float* __restrict__ scale, Pack* __restrict__ grad)
{
    const int row = blockIdx.y, hit = label[row];
    const float shift = lse[row], by = hit < 16 ? 0.0f : scale[row];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = (blockIdx.x * EACH + e) * THREADS + threadIdx.x;
        if (i >= V) break;
        const Pack p = logits[(size_t)row * V + i];
        Pack g;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __half22float2(p.h[j]);
            const int c = i * VEC + 2 * j;
            const float a = FAST ? __expf(f.x - shift) : expf(f.x - shift), b = FAST ? __expf(f.y - shift) : expf(f.y - shift);
            g.h[j] = __floats2half2_rn((a - (c == hit)) * by, (b - (c + 1 == hit)) * by);
        }
        grad[(size_t)row * V + i] = g;
    }
}
