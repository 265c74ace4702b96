// Game of life with a cell a byte; the eight neighbours of four cells are added as words.
constexpr int ROWS = 4096, WORDS = 1024, HP = STEPS > 1 ? 2 : 1, W = TW + 2 * HP, H = TY + 2 * STEPS, THREADS = TW * BY;

extern "C" __global__ void __launch_bounds__(THREADS)
life_bytes_tile_steps(const unsigned char* __restrict__ cells, unsigned char* __restrict__ next)
{
    __shared__ unsigned now[2][H][W];
    const unsigned* from = reinterpret_cast<const unsigned*>(cells);
    unsigned* to = reinterpret_cast<unsigned*>(next);
    const int t = threadIdx.y * TW + threadIdx.x, x0 = blockIdx.x * TW - HP, y0 = blockIdx.y * TY - STEPS;
    for (int i = t; i < H * W; i += THREADS) {
        const unsigned v = from[((y0 + i / W) & (ROWS - 1)) * WORDS + ((x0 + i % W) & (WORDS - 1))];
        now[0][i / W][i % W] = v;
        now[1][i / W][i % W] = v;
    }
    __syncthreads();
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
        const auto& old = now[s & 1];
        for (int i = t; i < (H - 2) * (W - 2); i += THREADS) {
            const int y = 1 + i / (W - 2), x = 1 + i % (W - 2);
            unsigned sum = 0;
#pragma unroll
            for (int d = -1; d < 2; ++d) {
                const unsigned m = old[y + d][x];
                sum += __funnelshift_l(old[y + d][x - 1], m, 8) + __funnelshift_r(m, old[y + d][x + 1], 8);
                if (d) sum += m;
            }
            now[~s & 1][y][x] = __vcmpeq4(sum | old[y][x], 0x03030303u) & 0x01010101u;
        }
        __syncthreads();
    }
    for (int y = threadIdx.y; y < TY; y += BY)
        to[(blockIdx.y * TY + y) * WORDS + blockIdx.x * TW + threadIdx.x] = now[STEPS & 1][y + STEPS][threadIdx.x + HP];
}
