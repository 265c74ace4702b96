// Eight bits for each pixel: which of its neighbours are at least as bright. The picture has a rim of four bytes.
constexpr int W = 4096, H = 4096, PITCH = W + 8, WORDS = PITCH / 4;

extern "C" __global__ void __launch_bounds__(THREADS)
local_binary_pattern_bytes(const unsigned char* __restrict__ in, unsigned char* __restrict__ out)
{
    const int x = (blockIdx.x * THREADS + threadIdx.x) * PX, y0 = blockIdx.y * RUN;
    int r[3][PX + 2];
    auto row = [&](int y, int* to) {
        if (PX == 4) {
            const unsigned* p = reinterpret_cast<const unsigned*>(in) + y * WORDS + x / 4;
            const unsigned a = p[0], b = p[1], c = p[2];
            to[0] = a >> 24;
#pragma unroll
            for (int i = 0; i < 4; ++i) to[(i + 1) % (PX + 2)] = b >> 8 * i & 255;
            to[PX + 1] = c & 255;
        } else {
#pragma unroll
            for (int i = 0; i < PX + 2; ++i) to[i] = in[y * PITCH + x + 3 + i];
        }
    };
    row(y0, r[0]);
    row(y0 + 1, r[1]);
#pragma unroll
    for (int s = 0; s < RUN; ++s) {
        row(y0 + s + 2, r[(s + 2) % 3]);
        const int *a = r[s % 3], *b = r[(s + 1) % 3], *c = r[(s + 2) % 3];
        unsigned word = 0;
#pragma unroll
        for (int i = 0; i < PX; ++i) {
            const int m = b[i + 1];
            const unsigned code = (a[i] >= m) | (a[i + 1] >= m) << 1 | (a[i + 2] >= m) << 2 | (b[i + 2] >= m) << 3 | (c[i + 2] >= m) << 4 |
                                  (c[i + 1] >= m) << 5 | (c[i] >= m) << 6 | (b[i] >= m) << 7;
            if (PX == 4)
                word |= code << 8 * i;
            else
                out[(y0 + s) * W + x + i] = code;
        }
        if (PX == 4) *reinterpret_cast<unsigned*>(out + (y0 + s) * W + x) = word;
    }
}
