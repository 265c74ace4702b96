// Softmax of short rows, LANES lanes a row, the whole row in registers.
constexpr int PACKS = COLS / (LANES * VEC);

struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
softmax_short_rows(const Pack* __restrict__ x, Pack* __restrict__ y, float scale)
{
    const int thread = blockIdx.x * 256 + threadIdx.x, row = thread / LANES, lane = thread % LANES;
    const Pack* from = x + row * (COLS / VEC) + lane;
    Pack p[PACKS];
    float top = -1e30f;
#pragma unroll
    for (int i = 0; i < PACKS; ++i) {
        p[i] = from[i * LANES];
#pragma unroll
        for (int k = 0; k < VEC; ++k) top = fmaxf(top, p[i].v[k]);
    }
#pragma unroll
    for (int d = LANES / 2; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < PACKS; ++i)
#pragma unroll
        for (int k = 0; k < VEC; ++k) {
            p[i].v[k] = __expf((p[i].v[k] - top) * scale);
            sum += p[i].v[k];
        }
#pragma unroll
    for (int d = LANES / 2; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
    const float inverse = 1.0f / sum;
    Pack* to = y + row * (COLS / VEC) + lane;
#pragma unroll
    for (int i = 0; i < PACKS; ++i) {
#pragma unroll
        for (int k = 0; k < VEC; ++k) p[i].v[k] *= inverse;
        to[i * LANES] = p[i];
    }
}
