// Jump flooding: the nearest of nine seeds, of the place itself and of eight STEP away.
constexpr int N = 2048, PLANE = N * N;

extern "C" __global__ void __launch_bounds__(BX * 4)
jump_flood_u32_step(const unsigned* __restrict__ seeds, unsigned* __restrict__ out)
{
    const int x = blockIdx.x * BX + threadIdx.x, y0 = blockIdx.y * 4 * PER + threadIdx.y;
#pragma unroll
    for (int p = 0; p < PER; ++p) {
        const int y = y0 + p * 4;
        unsigned best_x = 0, best_y = 0;
        int least = 1 << 30;
#pragma unroll
        for (int d = 0; d < 9; ++d) {
            const int xx = min(max(x + (d % 3 - 1) * STEP, 0), N - 1), yy = min(max(y + (d / 3 - 1) * STEP, 0), N - 1), at = yy * N + xx;
            unsigned sx, sy;
            if (PACKED) {
                const unsigned s = seeds[at];
                sx = s & (N - 1);
                sy = s >> 16 & (N - 1);
            } else {
                sx = seeds[at] & (N - 1);
                sy = seeds[PLANE + at] & (N - 1);
            }
            const int dx = (int)sx - x, dy = (int)sy - y, far = dx * dx + dy * dy;
            if (far < least) least = far, best_x = sx, best_y = sy;
        }
        if (PACKED) out[y * N + x] = best_x | best_y << 16;
        else {
            out[y * N + x] = best_x;
            out[PLANE + y * N + x] = best_y;
        }
    }
}
