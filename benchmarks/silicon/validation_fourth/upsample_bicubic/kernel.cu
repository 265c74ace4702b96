// Bicubic enlargement of planes by two or four, a thread makes one pixel of PLANES_EACH planes.
constexpr int OUT = 256, IN = OUT / SCALE, BLOCK_Y = 256 / BLOCK_X;

__device__ __forceinline__ void taps(float t, float (&w)[4])
{
    constexpr float A = -0.75f;
    const float u = 1.0f - t;
    w[0] = ((A * (t + 1.0f) - 5.0f * A) * (t + 1.0f) + 8.0f * A) * (t + 1.0f) - 4.0f * A;
    w[1] = ((A + 2.0f) * t - (A + 3.0f)) * t * t + 1.0f;
    w[2] = ((A + 2.0f) * u - (A + 3.0f)) * u * u + 1.0f;
    w[3] = ((A * (u + 1.0f) - 5.0f * A) * (u + 1.0f) + 8.0f * A) * (u + 1.0f) - 4.0f * A;
}

extern "C" __global__ void upsample_bicubic(const float* __restrict__ in, float* __restrict__ out)
{
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    const float sx = (x + 0.5f) / SCALE - 0.5f, sy = (y + 0.5f) / SCALE - 0.5f;
    const float fx = floorf(sx), fy = floorf(sy);
    float wx[4], wy[4];
    int columns[4], rows[4];
    taps(sx - fx, wx);
    taps(sy - fy, wy);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        columns[k] = min(max((int)fx + k - 1, 0), IN - 1);
        rows[k] = min(max((int)fy + k - 1, 0), IN - 1) * IN;
    }
#pragma unroll
    for (int p = 0; p < PLANES_EACH; ++p) {
        const int plane = blockIdx.z * PLANES_EACH + p;
        const float* from = in + (size_t)plane * IN * IN;
        float sum = 0.0f;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float line = 0.0f;
#pragma unroll
            for (int k = 0; k < 4; ++k) line += wx[k] * from[rows[j] + columns[k]];
            sum += wy[j] * line;
        }
        out[((size_t)plane * OUT + y) * OUT + x] = sum;
    }
}
