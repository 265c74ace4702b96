// 2,048 x 2,048 places, psi with a border of two; next = before - 2 i dt H psi.
constexpr int LD = 2052, SIZE = LD * LD, N = 2048 * 2048;

extern "C" __global__ void __launch_bounds__(32 * BLOCK_Y)
schrodinger2d_step(const float* __restrict__ psi, const float* __restrict__ before, const float* __restrict__ potential,
                   float* __restrict__ next)
{
    const int col = blockIdx.x * 32 + threadIdx.x, r0 = (blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;
    auto at = [&](int r, int c) {
        const int i = (r + 2) * LD + c + 2;
        return PLANES ? make_float2(psi[i], psi[SIZE + i]) : reinterpret_cast<const float2*>(psi)[i];
    };
    float2 column[ROWS + 2 * RADIUS];
#pragma unroll
    for (int r = 0; r < ROWS + 2 * RADIUS; ++r) column[r] = at(r0 + r - RADIUS, col);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const float2 own = column[r + RADIUS];
        float2 sum = make_float2(0.0f, 0.0f);
#pragma unroll
        for (int d = 1; d <= RADIUS; ++d) {
            const float w = RADIUS == 1 ? 1.0f : d == 1 ? 4.0f / 3.0f : -1.0f / 12.0f;
            const float2 a = column[r + RADIUS - d], b = column[r + RADIUS + d], c = at(r0 + r, col - d), e = at(r0 + r, col + d);
            sum.x += w * (a.x + b.x + c.x + e.x - 4.0f * own.x);
            sum.y += w * (a.y + b.y + c.y + e.y - 4.0f * own.y);
        }
        const int i = (r0 + r) * 2048 + col;
        const float v = potential[i];
        const float2 h = make_float2(v * own.x - 0.5f * sum.x, v * own.y - 0.5f * sum.y);
        if (PLANES) {
            next[i] = before[i] + 0.1f * h.y;
            next[N + i] = before[N + i] - 0.1f * h.x;
        } else {
            const float2 b = reinterpret_cast<const float2*>(before)[i];
            reinterpret_cast<float2*>(next)[i] = make_float2(b.x + 0.1f * h.y, b.y - 0.1f * h.x);
        }
    }
}
