// Discrete cosine transform of the 8 x 8 blocks of an image, or its inverse: a thread transforms a row, then a column,
// through shared memory; with quantisation or without.
constexpr float C1 = 0.98078528f, C2 = 0.92387953f, C3 = 0.83146961f, C4 = 0.70710678f, C5 = 0.55557023f,
                C6 = 0.38268343f, C7 = 0.19509032f;

__device__ __forceinline__ void transform(float (&v)[8])
{
#if INVERSE
    const float p = (v[0] + v[4]) * C4, q = (v[0] - v[4]) * C4;
    const float r = v[2] * C2 + v[6] * C6, s = v[2] * C6 - v[6] * C2;
    const float e0 = p + r, e3 = p - r, e1 = q + s, e2 = q - s;
    const float o0 = v[1] * C1 + v[3] * C3 + v[5] * C5 + v[7] * C7, o1 = v[1] * C3 - v[3] * C7 - v[5] * C1 - v[7] * C5;
    const float o2 = v[1] * C5 - v[3] * C1 + v[5] * C7 + v[7] * C3, o3 = v[1] * C7 - v[3] * C5 + v[5] * C3 - v[7] * C1;
    v[0] = 0.5f * (e0 + o0);
    v[7] = 0.5f * (e0 - o0);
    v[1] = 0.5f * (e1 + o1);
    v[6] = 0.5f * (e1 - o1);
    v[2] = 0.5f * (e2 + o2);
    v[5] = 0.5f * (e2 - o2);
    v[3] = 0.5f * (e3 + o3);
    v[4] = 0.5f * (e3 - o3);
#else
    const float s0 = v[0] + v[7], s1 = v[1] + v[6], s2 = v[2] + v[5], s3 = v[3] + v[4];
    const float d0 = v[0] - v[7], d1 = v[1] - v[6], d2 = v[2] - v[5], d3 = v[3] - v[4];
    v[0] = 0.5f * C4 * (s0 + s1 + s2 + s3);
    v[4] = 0.5f * C4 * (s0 - s1 - s2 + s3);
    v[2] = 0.5f * (C2 * (s0 - s3) + C6 * (s1 - s2));
    v[6] = 0.5f * (C6 * (s0 - s3) - C2 * (s1 - s2));
    v[1] = 0.5f * (C1 * d0 + C3 * d1 + C5 * d2 + C7 * d3);
    v[3] = 0.5f * (C3 * d0 - C7 * d1 - C1 * d2 - C5 * d3);
    v[5] = 0.5f * (C5 * d0 - C1 * d1 + C7 * d2 + C3 * d3);
    v[7] = 0.5f * (C7 * d0 - C5 * d1 + C3 * d2 - C1 * d3);
#endif
}

extern "C" __global__ void dct8x8_blocks(const float* __restrict__ src, float* __restrict__ dst,
                                         const float* __restrict__ table, int width)
{
    __shared__ float tile[BLOCKS_EACH][8][9];
    const int k = threadIdx.x, b = threadIdx.y;
    const int x0 = (blockIdx.x * BLOCKS_EACH + b) * 8, y0 = blockIdx.y * 8;
    float v[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) tile[b][i][k] = src[(size_t)(y0 + i) * width + x0 + k];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 8; ++i) v[i] = tile[b][k][i];
    transform(v);
#pragma unroll
    for (int i = 0; i < 8; ++i) tile[b][k][i] = v[i];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 8; ++i) v[i] = tile[b][i][k];
    transform(v);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        if (QUANTISE) {
            const float q = 1.0f + 16.0f * table[i * 8 + k];
            v[i] = rintf(255.0f * v[i] / q) * q;
        }
        dst[(size_t)(y0 + i) * width + x0 + k] = v[i];
    }
}
