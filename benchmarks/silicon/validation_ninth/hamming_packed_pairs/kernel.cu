// y[i][j] = number of bases in which sequences i and j differ; sequences of a thread are 16 apart.
extern "C" __global__ void __launch_bounds__(256)
hamming_packed_pairs(const unsigned* __restrict__ x, unsigned short* __restrict__ y)
{
    constexpr int LD = WORDS + 1, SIDE = 16 * RT;
    __shared__ unsigned rows[STAGED ? SIDE * LD : 1], cols[STAGED ? SIDE * LD : 1];
    const int tx = threadIdx.x, ty = threadIdx.y, r0 = blockIdx.y * SIDE, c0 = blockIdx.x * SIDE;
    if (STAGED) {
        for (int i = ty * 16 + tx; i < SIDE * WORDS; i += 256) {
            rows[i / WORDS * LD + i % WORDS] = x[r0 * WORDS + i];
            cols[i / WORDS * LD + i % WORDS] = x[c0 * WORDS + i];
        }
        __syncthreads();
    }
    int count[RT][RT] = {};
#pragma unroll 4
    for (int w = 0; w < WORDS; ++w) {
        unsigned a[RT], b[RT];
#pragma unroll
        for (int i = 0; i < RT; ++i) {
            a[i] = STAGED ? rows[(ty + 16 * i) * LD + w] : x[(r0 + ty + 16 * i) * WORDS + w];
            b[i] = STAGED ? cols[(tx + 16 * i) * LD + w] : x[(c0 + tx + 16 * i) * WORDS + w];
        }
#pragma unroll
        for (int i = 0; i < RT; ++i)
#pragma unroll
            for (int j = 0; j < RT; ++j) {
                const unsigned d = a[i] ^ b[j];
                count[i][j] += __popc((d | d >> 1) & 0x55555555u);
            }
    }
#pragma unroll
    for (int i = 0; i < RT; ++i)
#pragma unroll
        for (int j = 0; j < RT; ++j) y[(r0 + ty + 16 * i) * 2048 + c0 + tx + 16 * j] = count[i][j];
}
