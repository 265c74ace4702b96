// 4,096 x 4,096 pixels; a table of 256 bytes for each of 33 x 33 corners of squares of 128. A block has a part of one square.
constexpr int THREADS = 128 / PX * 4;
struct alignas(PX) Pack { unsigned char v[PX]; };

extern "C" __global__ void __launch_bounds__(THREADS)
clahe_lookup_bilinear(const Pack* __restrict__ image, const unsigned char* __restrict__ table, Pack* __restrict__ out)
{
    __shared__ unsigned char tables[STAGED ? 1024 : 4];
    const int square = blockIdx.y * ROWS / 128 * 33 + blockIdx.x;
    const unsigned char* corner[4] = {table + square * 256, table + (square + 1) * 256, table + (square + 33) * 256, table + (square + 34) * 256};
    if (STAGED) {
#pragma unroll
        for (int c = 0; c < 4; ++c)
            for (int i = threadIdx.x; i < 64; i += THREADS)
                reinterpret_cast<unsigned*>(tables)[c * 64 + i] = reinterpret_cast<const unsigned*>(corner[c])[i];
        __syncthreads();
    }
    const int x = threadIdx.x % (128 / PX), y0 = threadIdx.x / (128 / PX);
#pragma unroll 2
    for (int r = y0; r < ROWS; r += 4) {
        const int row = blockIdx.y * ROWS + r, at = row * (4096 / PX) + blockIdx.x * (128 / PX) + x;
        const Pack p = image[at];
        Pack q;
#pragma unroll
        for (int i = 0; i < PX; ++i) {
            const int b = p.v[i], wx = x * PX + i, wy = row % 128;
            int f[4];
#pragma unroll
            for (int c = 0; c < 4; ++c) f[c] = STAGED ? tables[c * 256 + b] : corner[c][b];
            if (FIXED) {
                const int up = f[0] * (128 - wx) + f[1] * wx, low = f[2] * (128 - wx) + f[3] * wx;
                q.v[i] = (up * (128 - wy) + low * wy + 8192) >> 14;
            } else {
                const float u = wx * (1.0f / 128.0f), v = wy * (1.0f / 128.0f);
                const float up = f[0] + u * (f[1] - f[0]), low = f[2] + u * (f[3] - f[2]);
                q.v[i] = (unsigned char)__float2int_rn(up + v * (low - up));
            }
        }
        out[at] = q;
    }
}
