// [8][512][16][64] to [8][16][512][64]; indices from the output or from the input.
struct alignas(VEC * 4) Pack { float v[VEC]; };
constexpr unsigned D = 64 / VEC, H = 16, S = 512, TOTAL = 8 * S * H * D;

extern "C" __global__ void __launch_bounds__(256) swap_axes_0213(const Pack* __restrict__ x, Pack* __restrict__ y)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    constexpr unsigned STRIDE = TOTAL / EACH;
    Pack p[EACH];
#pragma unroll
    for (unsigned e = 0; e < EACH; ++e) {
        const unsigned at = i + e * STRIDE;
#if BY_OUT
        const unsigned d = at % D, s = at / D % S, h = at / (D * S) % H, b = at / (D * S * H);
        p[e] = x[((b * S + s) * H + h) * D + d];
#else
        p[e] = x[at];
#endif
    }
#pragma unroll
    for (unsigned e = 0; e < EACH; ++e) {
        const unsigned at = i + e * STRIDE;
#if BY_OUT
        y[at] = p[e];
#else
        const unsigned d = at % D, h = at / D % H, s = at / (D * H) % S, b = at / (D * H * S);
        y[((b * H + h) * S + s) * D + d] = p[e];
#endif
    }
}
