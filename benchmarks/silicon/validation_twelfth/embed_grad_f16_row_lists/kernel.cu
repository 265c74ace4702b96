// Gradient of an embedding table without atomics: each row of the table sums the gradients of the positions in its list.
#include <cuda_fp16.h>
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };
constexpr int DIM = 512, LANES = DIM / VEC;

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
embed_grad_f16_row_lists(const int* __restrict__ offset, const int* __restrict__ position, const Pack* __restrict__ grad, Pack* __restrict__ table)
{
    const int row = blockIdx.x * ROWS + threadIdx.y, end = offset[row + 1];
    float sum[VEC] = {};
    int k = offset[row];
    for (; k + AHEAD <= end; k += AHEAD) {
        Pack p[AHEAD];
#pragma unroll
        for (int a = 0; a < AHEAD; ++a) p[a] = grad[(size_t)position[k + a] * LANES + threadIdx.x];
#pragma unroll
        for (int a = 0; a < AHEAD; ++a)
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                const float2 f = __half22float2(p[a].h[j]);
                sum[2 * j] += f.x;
                sum[2 * j + 1] += f.y;
            }
    }
    if (AHEAD > 1)
        for (; k < end; ++k) {
            const Pack p = grad[(size_t)position[k] * LANES + threadIdx.x];
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                const float2 f = __half22float2(p.h[j]);
                sum[2 * j] += f.x;
                sum[2 * j + 1] += f.y;
            }
        }
    Pack out;
#pragma unroll
    for (int j = 0; j < VEC / 2; ++j) out.h[j] = __floats2half2_rn(sum[2 * j], sum[2 * j + 1]);
    table[(size_t)row * LANES + threadIdx.x] = out;
}
