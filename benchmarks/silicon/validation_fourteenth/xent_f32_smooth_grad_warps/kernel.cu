// Small vocabularies: a warp keeps its row of logits in registers and writes loss and gradient.
constexpr int PACKS = VOCAB / VEC, EACH = PACKS / 32;
constexpr float SMOOTH = 0.1f;
struct alignas(VEC * 4) Pack { float f[VEC]; };

extern "C" __global__ void __launch_bounds__(WARPS * 32)
xent_f32_smooth_grad_warps(const Pack* __restrict__ logits, const int* __restrict__ labels, float* __restrict__ loss, Pack* __restrict__ grad)
{
    const int lane = threadIdx.x % 32, row0 = (blockIdx.x * WARPS + threadIdx.x / 32) * TURNS;
#pragma unroll 1
    for (int row = row0; row < row0 + TURNS; ++row) {
        const Pack* from = logits + (size_t)row * PACKS + lane;
        const int label = labels[row];
        Pack p[EACH];
        float top = -1e30f, total = 0.0f, own = 0.0f;
#pragma unroll
        for (int i = 0; i < EACH; ++i) p[i] = from[i * 32];
#pragma unroll
        for (int i = 0; i < EACH; ++i)
#pragma unroll
            for (int j = 0; j < VEC; ++j) {
                top = fmaxf(top, p[i].f[j]);
                total += p[i].f[j];
                own += (i * 32 + lane) * VEC + j == label ? p[i].f[j] : 0.0f;
            }
#pragma unroll
        for (int d = 16; d; d >>= 1) {
            top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
            total += __shfl_xor_sync(~0u, total, d);
            own += __shfl_xor_sync(~0u, own, d);
        }
        float sum = 0.0f;
#pragma unroll
        for (int i = 0; i < EACH; ++i)
#pragma unroll
            for (int j = 0; j < VEC; ++j) {
                p[i].f[j] = __expf(p[i].f[j] - top);
                sum += p[i].f[j];
            }
#pragma unroll
        for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
        const float scale = 1.0f / sum;
        if (lane == 0) loss[row] = top + __logf(sum) - (1.0f - SMOOTH) * own - SMOOTH / VOCAB * total;
        Pack* to = grad + (size_t)row * PACKS + lane;
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
#pragma unroll
            for (int j = 0; j < VEC; ++j)
                p[i].f[j] = p[i].f[j] * scale - SMOOTH / VOCAB - ((i * 32 + lane) * VEC + j == label ? 1.0f - SMOOTH : 0.0f);
            to[i * 32] = p[i];
        }
    }
}
