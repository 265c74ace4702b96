// Rows of an embedding table, scaled; a warp has TOKENS tokens and reads the same place of all their rows at once.
constexpr int PACKS = DIM / VEC;
struct alignas(VEC * 4) Pack { float f[VEC]; };

extern "C" __global__ void __launch_bounds__(32 * BY)
embed_f32_scaled_rows(const int* __restrict__ token, const Pack* __restrict__ table, Pack* __restrict__ out)
{
    const int t0 = (blockIdx.x * BY + threadIdx.y) * TOKENS;
    const float scale = sqrtf((float)DIM);
    const Pack* from[TOKENS];
#pragma unroll
    for (int t = 0; t < TOKENS; ++t) from[t] = table + (size_t)token[t0 + t] * PACKS;
#pragma unroll 2
    for (int i = threadIdx.x; i < PACKS; i += 32) {
        Pack p[TOKENS];
#pragma unroll
        for (int t = 0; t < TOKENS; ++t) p[t] = from[t][i];
#pragma unroll
        for (int t = 0; t < TOKENS; ++t) {
#pragma unroll
            for (int j = 0; j < VEC; ++j) p[t].f[j] *= scale;
            out[(size_t)(t0 + t) * PACKS + i] = p[t];
        }
    }
}
