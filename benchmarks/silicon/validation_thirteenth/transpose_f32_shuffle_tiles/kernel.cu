// Transposition by shuffles: a warp reads TILE rows of 32 numbers, which are 32 / TILE tiles side by side.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
transpose_f32_shuffle_tiles(const float* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x, col0 = blockIdx.x * 32;
#pragma unroll 1
    for (int turn = 0; turn < TURNS; ++turn) {
        const int row0 = ((blockIdx.y * TURNS + turn) * WARPS + threadIdx.y) * TILE;
        float v[TILE];
#pragma unroll
        for (int i = 0; i < TILE; ++i) v[i] = x[(row0 + i) * N + col0 + lane];
#pragma unroll
        for (int s = 1; s < TILE; s <<= 1)
#pragma unroll
            for (int i = 0; i < TILE; ++i)
                if ((i & s) == 0) {
                    const bool up = lane & s;
                    const float got = __shfl_xor_sync(~0u, up ? v[i] : v[i | s], s);
                    if (up) v[i] = got;
                    else v[i | s] = got;
                }
        const int tile0 = lane / TILE * TILE, at = lane % TILE;
#pragma unroll
        for (int i = 0; i < TILE; ++i) y[(col0 + tile0 + i) * N + row0 + at] = v[i];
    }
}
