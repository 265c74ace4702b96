// Bilateral filter of 5 x 5 over a picture of four bytes a pixel; weights of differences from a table in shared memory or by exponentials.
constexpr int W = 2048, H = 1024, ROWS = BY * PER + 4;

extern "C" __global__ void __launch_bounds__(32 * BY)
bilateral5_rgba_range_table(const uchar4* __restrict__ in, uchar4* __restrict__ out)
{
    __shared__ uchar4 tile[STAGED ? ROWS : 1][36];
    __shared__ float weights[TABLE ? 768 : 1];
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * BY * PER, id = threadIdx.y * 32 + threadIdx.x;
    const auto pixel = [&](int row, int column) { return in[min(max(y0 + row - 2, 0), H - 1) * W + min(max(x0 + column - 2, 0), W - 1)]; };
    if (TABLE)
        for (int i = id; i < 768; i += 32 * BY) weights[TABLE ? i : 0] = __expf(-0.0008f * i * i);
    if (STAGED)
        for (int i = id; i < ROWS * 36; i += 32 * BY) tile[STAGED ? i / 36 : 0][i % 36] = pixel(i / 36, i % 36);
    if (TABLE || STAGED) __syncthreads();
#pragma unroll
    for (int p = 0; p < PER; ++p) {
        const int r0 = threadIdx.y + p * BY;
        const auto at = [&](int row, int column) { return STAGED ? tile[STAGED ? r0 + row : 0][threadIdx.x + column] : pixel(r0 + row, threadIdx.x + column); };
        const uchar4 centre = at(2, 2);
        float red = 0.0f, green = 0.0f, blue = 0.0f, total = 0.0f;
#pragma unroll
        for (int i = 0; i < 25; ++i) {
            const uchar4 q = at(i / 5, i % 5);
            const int far = (i / 5 - 2) * (i / 5 - 2) + (i % 5 - 2) * (i % 5 - 2);
            const int apart = abs(q.x - centre.x) + abs(q.y - centre.y) + abs(q.z - centre.z);
            const float near = far == 0 ? 1.0f : far == 1 ? 0.8825f : far == 2 ? 0.7788f : far == 4 ? 0.6065f : far == 5 ? 0.5353f : 0.3679f;
            const float w = near * (TABLE ? weights[TABLE ? apart : 0] : __expf(-0.0008f * apart * apart));
            red += w * q.x;
            green += w * q.y;
            blue += w * q.z;
            total += w;
        }
        const float by = __fdividef(1.0f, total);
        out[(y0 + r0) * W + x0 + threadIdx.x] = make_uchar4(red * by + 0.5f, green * by + 0.5f, blue * by + 0.5f, centre.w);
    }
}
