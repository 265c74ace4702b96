// Y = A^T M A of 6 x 6 tiles, a tile a thread; planes of 56 x 56, 64 channels, 16 images.
constexpr int TILES = 200704, ACROSS = 14, PLANE = 196;

__device__ void transform(const float* v, float* o)
{
    const float a = v[1] + v[2], b = v[1] - v[2], c = v[3] + v[4], d = v[3] - v[4];
    o[0] = v[0] + a + c;
    o[1] = b + 2.0f * d;
    o[2] = a + 4.0f * c;
    o[3] = b + 8.0f * d + v[5];
}

extern "C" __global__ void __launch_bounds__(THREADS)
winograd43_output(const float* __restrict__ m, const float* __restrict__ bias, float* __restrict__ y)
{
    const int tile = blockIdx.x * THREADS + threadIdx.x;
    float half[4][6];
#pragma unroll
    for (int j = 0; j < 6; ++j) {
        float column[6], o[4];
#pragma unroll
        for (int i = 0; i < 6; ++i) column[i] = PLANES ? m[(i * 6 + j) * TILES + tile] : m[tile * 36 + i * 6 + j];
        transform(column, o);
#pragma unroll
        for (int i = 0; i < 4; ++i) half[i][j] = o[i];
    }
    const int plane = tile / PLANE, at = tile % PLANE, row = at / ACROSS * 4, col = at % ACROSS * 4;
    const float add = FUSED ? bias[plane % 64] - 8.0f : 0.0f;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float o[4];
        transform(half[i], o);
        if (FUSED)
#pragma unroll
            for (int j = 0; j < 4; ++j) o[j] = fmaxf(o[j] + add, 0.0f);
        *(float4*)(y + (plane * 56 + row + i) * 56 + col) = make_float4(o[0], o[1], o[2], o[3]);
    }
}
