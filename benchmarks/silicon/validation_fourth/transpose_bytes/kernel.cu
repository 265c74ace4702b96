// Transpose of a matrix of bytes through a tile in shared memory. Either each thread turns 4 x 4 bytes round in
// registers by byte permutes, or it gathers four bytes of a column from the tile.
constexpr int W = TILE / 4, THREADS = 256, STRIDE = W + PAD;

extern "C" __global__ void __launch_bounds__(THREADS)
transpose_bytes(const unsigned* __restrict__ in, unsigned* __restrict__ out, int side)
{
    __shared__ unsigned tile[TILE * STRIDE];
    const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * W, pitch = side / 4;
#if PERMUTE
#pragma unroll
    for (int i = threadIdx.x; i < W * W; i += THREADS) {
        const int r = i / W, c = i % W;
        const unsigned* from = in + (size_t)(row0 + 4 * r) * pitch + column0 + c;
        const unsigned a = from[0], b = from[pitch], d = from[2 * pitch], e = from[3 * pitch];
        const unsigned ab0 = __byte_perm(a, b, 0x5140), ab1 = __byte_perm(a, b, 0x7362);
        const unsigned de0 = __byte_perm(d, e, 0x5140), de1 = __byte_perm(d, e, 0x7362);
        tile[(4 * c + 0) * STRIDE + r] = __byte_perm(ab0, de0, 0x5410);
        tile[(4 * c + 1) * STRIDE + r] = __byte_perm(ab0, de0, 0x7632);
        tile[(4 * c + 2) * STRIDE + r] = __byte_perm(ab1, de1, 0x5410);
        tile[(4 * c + 3) * STRIDE + r] = __byte_perm(ab1, de1, 0x7632);
    }
    __syncthreads();
#pragma unroll
    for (int i = threadIdx.x; i < TILE * W; i += THREADS)
        out[(size_t)(4 * column0 + i / W) * pitch + row0 / 4 + i % W] = tile[i / W * STRIDE + i % W];
#else
#pragma unroll
    for (int i = threadIdx.x; i < TILE * W; i += THREADS)
        tile[i / W * STRIDE + i % W] = in[(size_t)(row0 + i / W) * pitch + column0 + i % W];
    __syncthreads();
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(tile);
#pragma unroll
    for (int i = threadIdx.x; i < TILE * W; i += THREADS) {
        const int column = i / W, r = i % W * 4;
        const unsigned char* from = bytes + r * 4 * STRIDE + column;
        out[(size_t)(4 * column0 + column) * pitch + row0 / 4 + i % W] =
            from[0] | from[4 * STRIDE] << 8 | from[8 * STRIDE] << 16 | (unsigned)from[12 * STRIDE] << 24;
    }
#endif
}
