// 2,048 x 2,048 pixels, 32 apart in a thread; lattice points' gradients are the diagonals and axes.
__device__ __forceinline__ float gradient(int h, float x, float y)
{
    const float u = h & 4 ? y : x, v = h & 4 ? x : y;
    return (h & 1 ? -u : u) + (h & 2 ? -0.5f * v : 0.5f * v);
}

extern "C" __global__ void
perlin_octaves_image(const int* __restrict__ perm, float* __restrict__ image)
{
    __shared__ int table[TABLE == 1 ? 512 : 1];
    if (TABLE == 1) {
        for (int i = threadIdx.y * 32 + threadIdx.x; i < 512; i += 256) table[i] = perm[i];
        __syncthreads();
    }
    auto hash = [&](int x, int y) {
        if (TABLE == 2) {
            unsigned h = x * 0x8da6b343u ^ y * 0xd8163841u;
            h = (h ^ h >> 13) * 0x5bd1e995u;
            return (int)(h >> 24);
        }
        const int* p = TABLE == 1 ? table : perm;
        return p[p[x & 255] + (y & 255)];
    };
    const int row = blockIdx.y * 8 + threadIdx.y;
    float sum[PX];
#pragma unroll
    for (int p = 0; p < PX; ++p) {
        const int col = (blockIdx.x * PX + p) * 32 + threadIdx.x;
        float fx = col * 0.0137f, fy = row * 0.0137f, amplitude = 1.0f;
        sum[p] = 0.0f;
#pragma unroll 2
        for (int o = 0; o < OCTAVES; ++o) {
            const float bx = floorf(fx), by = floorf(fy), x = fx - bx, y = fy - by;
            const int ix = (int)bx, iy = (int)by;
            const float u = x * x * x * (x * (x * 6.0f - 15.0f) + 10.0f), v = y * y * y * (y * (y * 6.0f - 15.0f) + 10.0f);
            const float a = gradient(hash(ix, iy), x, y), b = gradient(hash(ix + 1, iy), x - 1.0f, y);
            const float c = gradient(hash(ix, iy + 1), x, y - 1.0f), d = gradient(hash(ix + 1, iy + 1), x - 1.0f, y - 1.0f);
            const float low = a + u * (b - a), high = c + u * (d - c);
            sum[p] += amplitude * (low + v * (high - low));
            amplitude *= 0.5f;
            fx *= 2.0f;
            fy *= 2.0f;
        }
    }
#pragma unroll
    for (int p = 0; p < PX; ++p) image[row * 2048 + (blockIdx.x * PX + p) * 32 + threadIdx.x] = sum[p];
}
