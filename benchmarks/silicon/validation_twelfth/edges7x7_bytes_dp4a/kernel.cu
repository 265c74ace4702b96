// Filter of 7 x 7 whole weights over a picture of bytes, four pixels a thread: by dp4a on shifted words, or number by number.
constexpr int W = 4096, H = 2048, ROWS = BY * PER + 6, WORDS = 32 + 2;

__constant__ __align__(16) unsigned char weights[7][8] = {{1, 2, 3, 4, 3, 2, 1, 0}, {2, 4, 6, 8, 6, 4, 2, 0}, {3, 6, 9, 12, 9, 6, 3, 0}, {4, 8, 12, 16, 12, 8, 4, 0},
                                            {3, 6, 9, 12, 9, 6, 3, 0}, {2, 4, 6, 8, 6, 4, 2, 0}, {1, 2, 3, 4, 3, 2, 1, 0}};

extern "C" __global__ void __launch_bounds__(32 * BY)
edges7x7_bytes_dp4a(const unsigned* __restrict__ in, unsigned* __restrict__ out)
{
    __shared__ unsigned tile[STAGED ? ROWS : 1][WORDS];
    const int x = blockIdx.x * 32, y0 = blockIdx.y * BY * PER;
    const auto word = [&](int row, int column) {
        const int y = min(max(y0 + row - 3, 0), H - 1), c = min(max(x + column - 1, 0), W / 4 - 1);
        return in[y * (W / 4) + c];
    };
    if (STAGED) {
        for (int i = threadIdx.y * 32 + threadIdx.x; i < ROWS * WORDS; i += 32 * BY) tile[STAGED ? i / WORDS : 0][i % WORDS] = word(i / WORDS, i % WORDS);
        __syncthreads();
    }
#pragma unroll
    for (int p = 0; p < PER; ++p) {
        const int r0 = threadIdx.y * PER + p;
        unsigned sum[4] = {};
#pragma unroll
        for (int r = 0; r < 7; ++r) {
            unsigned w[4] = {0, 0, 0, 0};
#pragma unroll
            for (int i = 0; i < 3; ++i) w[i] = STAGED ? tile[STAGED ? r0 + r : 0][threadIdx.x + i] : word(r0 + r, threadIdx.x + i);
            if (DOT) {
                const unsigned low = reinterpret_cast<const unsigned*>(weights[r])[0], high = reinterpret_cast<const unsigned*>(weights[r])[1];
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    const int at = j + 1;
                    sum[j] = __dp4a(__funnelshift_r(w[at / 4], w[at / 4 + 1], at % 4 * 8), low, sum[j]);
                    sum[j] = __dp4a(__funnelshift_r(w[at / 4 + 1], w[at / 4 + 2], at % 4 * 8), high, sum[j]);
                }
            } else {
#pragma unroll
                for (int b = 1; b < 11; ++b) {
                    const unsigned value = w[b / 4] >> b % 4 * 8 & 255;
#pragma unroll
                    for (int j = 0; j < 4; ++j)
                        if (b - 1 - j >= 0 && b - 1 - j < 7) sum[j] += value * weights[r][b - 1 - j < 0 || b - 1 - j > 6 ? 0 : b - 1 - j];
                }
            }
        }
        unsigned packed = 0;
#pragma unroll
        for (int j = 0; j < 4; ++j) packed |= (sum[j] >> 8) << 8 * j;
        out[(y0 + r0) * (W / 4) + x + threadIdx.x] = packed;
    }
}
