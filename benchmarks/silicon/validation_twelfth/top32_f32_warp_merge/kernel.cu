// The 32 greatest of each row: a warp keeps them sorted, one a lane, and merges in 32 candidates at a time, always or if one of them is great enough.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
top32_f32_warp_merge(const float* __restrict__ in, float* __restrict__ out)
{
    const int lane = threadIdx.x % 32, row = blockIdx.x * WARPS + threadIdx.x / 32;
    const float* from = in + (size_t)row * COLS + lane;
    float best = -1.0e30f, least = -1.0e30f;
#pragma unroll 1
    for (int i = 0; i < COLS; i += 32 * AHEAD) {
        float next[AHEAD];
#pragma unroll
        for (int a = 0; a < AHEAD; ++a) next[a] = from[i + a * 32];
#pragma unroll
        for (int a = 0; a < AHEAD; ++a) {
            if (LOOK && !__any_sync(~0u, next[a] > least)) continue;
            float v = next[a];
#pragma unroll
            for (int k = 2; k <= 32; k <<= 1)
#pragma unroll
                for (int j = k / 2; j; j >>= 1) {
                    const float other = __shfl_xor_sync(~0u, v, j);
                    v = ((lane & k) == 0) == ((lane & j) == 0) ? fminf(v, other) : fmaxf(v, other);
                }
            best = fmaxf(best, v);
#pragma unroll
            for (int j = 16; j; j >>= 1) {
                const float other = __shfl_xor_sync(~0u, best, j);
                best = (lane & j) == 0 ? fmaxf(best, other) : fminf(best, other);
            }
            least = __shfl_sync(~0u, best, 31);
        }
    }
    out[row * 32 + lane] = best;
}
