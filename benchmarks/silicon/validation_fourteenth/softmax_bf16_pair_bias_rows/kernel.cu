// Scores of 8 batches and 8 heads; the bias belongs to a row and a head pair alike, the mask to the keys of a batch.
#include <cuda_bf16.h>
constexpr int EACH = COLS / (VEC * 32), PACKS = COLS / VEC, ROWS = 1024;
struct alignas(VEC * 2) Pack { __nv_bfloat162 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(WARPS * 32)
softmax_bf16_pair_bias_rows(const Pack* __restrict__ scores, const Pack* __restrict__ bias, const float* __restrict__ mask, Pack* __restrict__ out)
{
    const int lane = threadIdx.x % 32, id = blockIdx.x * WARPS + threadIdx.x / 32;
    const int row = id % ROWS, group = id / ROWS, batch = group * TURNS / 8;
    Pack b[EACH];
#pragma unroll
    for (int i = 0; i < EACH; ++i) b[i] = bias[row * PACKS + i * 32 + lane];
    const float2* m = reinterpret_cast<const float2*>(mask + batch * COLS);
#pragma unroll 1
    for (int t = 0; t < TURNS; ++t) {
        const size_t at = ((size_t)(group * TURNS + t) * ROWS + row) * PACKS + lane;
        float2 v[EACH][VEC / 2];
        float top = -1e30f;
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            const Pack p = scores[at + i * 32];
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                const float2 s = __bfloat1622float2(p.h[j]), a = __bfloat1622float2(b[i].h[j]), k = m[(i * 32 + lane) * (VEC / 2) + j];
                v[i][j] = make_float2(s.x * 0.125f + a.x + k.x, s.y * 0.125f + a.y + k.y);
                top = fmaxf(top, fmaxf(v[i][j].x, v[i][j].y));
            }
        }
#pragma unroll
        for (int d = 16; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
        float sum = 0.0f;
#pragma unroll
        for (int i = 0; i < EACH; ++i)
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                v[i][j].x = __expf(v[i][j].x - top);
                v[i][j].y = __expf(v[i][j].y - top);
                sum += v[i][j].x + v[i][j].y;
            }
#pragma unroll
        for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
        const float scale = __fdividef(1.0f, sum);
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            Pack p;
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) p.h[j] = __floats2bfloat162_rn(v[i][j].x * scale, v[i][j].y * scale);
            out[at + i * 32] = p;
        }
    }
}
