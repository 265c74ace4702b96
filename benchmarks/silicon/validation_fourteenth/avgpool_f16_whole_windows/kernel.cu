// Windows do not overlap; each number is read once.
#include <cuda_fp16.h>
constexpr int SIDE = 56, OUT = SIDE / WIN;
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
avgpool_f16_whole_windows(const __half* __restrict__ x, __half* __restrict__ y)
{
    const int first = blockIdx.x * THREADS * PER + threadIdx.x;
#pragma unroll
    for (int i = 0; i < PER; ++i) {
        const int at = first + i * THREADS, c = at % OUT, r = at / OUT % OUT, plane = at / (OUT * OUT);
        const __half* p = x + (size_t)plane * SIDE * SIDE + r * WIN * SIDE + c * WIN;
        float sum = 0.0f;
#pragma unroll
        for (int a = 0; a < WIN; ++a)
#pragma unroll
            for (int b = 0; b < WIN; b += VEC) {
                const Pack v = *reinterpret_cast<const Pack*>(p + a * SIDE + b);
#pragma unroll
                for (int j = 0; j < VEC / 2; ++j) {
                    const float2 f = __half22float2(v.h[j]);
                    sum += f.x + f.y;
                }
            }
        y[at] = __float2half(sum * (1.0f / (WIN * WIN)));
    }
}
