// 256 x 256 x 128 results; the padded volume has 130 layers of 258 rows of 264 numbers.
constexpr int PITCH = 264, AREA = PITCH * 258;
__constant__ float taps[27];

__device__ __forceinline__ float layer(const float* p, int z)
{
    float s = 0.0f;
#pragma unroll
    for (int r = 0; r < 3; ++r)
#pragma unroll
        for (int c = 0; c < 3; ++c) s += taps[z * 9 + r * 3 + c] * p[r * PITCH + c];
    return s;
}

extern "C" __global__ void __launch_bounds__(32 * BLOCK_Y)
conv3d_cube_constant(const float* __restrict__ x, float* __restrict__ y)
{
    const int c = blockIdx.x * 32 * EACH + threadIdx.x, r = blockIdx.y * BLOCK_Y + threadIdx.y, z0 = blockIdx.z * LAYERS;
    float low[EACH], mid[EACH];
    if (QUEUE)
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const float* p = x + z0 * AREA + r * PITCH + c + e * 32;
            low[e] = layer(p, 0) + layer(p + AREA, 1);
            mid[e] = layer(p + AREA, 0);
        }
#pragma unroll 1
    for (int z = z0; z < z0 + LAYERS; ++z)
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const float* p = x + z * AREA + r * PITCH + c + e * 32;
            float s;
            if (QUEUE) {
                float v[9], a = 0.0f, b = 0.0f;
                s = low[e];
#pragma unroll
                for (int i = 0; i < 9; ++i) {
                    v[i] = p[2 * AREA + i / 3 * PITCH + i % 3];
                    s += taps[18 + i] * v[i];
                    a += taps[9 + i] * v[i];
                    b += taps[i] * v[i];
                }
                low[e] = mid[e] + a;
                mid[e] = b;
            } else {
                s = layer(p, 0) + layer(p + AREA, 1) + layer(p + 2 * AREA, 2);
            }
            y[z * 65536 + r * 256 + c + e * 32] = s;
        }
}
