// Depthwise convolution of 3 x 3 x 3 of volumes of 32 x 64 x 64 places; a thread goes through ZRUN planes.
constexpr int D = 32, H = 64, W = 64, BX = 64 / VEC, BY = 256 / BX;

__device__ __forceinline__ float at(const float* plane, int y, int x)
{
    return y >= 0 && y < H && x >= 0 && x < W ? plane[y * W + x] : 0.0f;
}

extern "C" __global__ void __launch_bounds__(256)
depthwise3d_ncdhw_march(const float* __restrict__ in, const float* __restrict__ weight, float* __restrict__ out)
{
    __shared__ float tile[STAGED ? (BY + 2) * (W + 2) : 1];
    const int x = threadIdx.x % BX * VEC, ty = threadIdx.x / BX, y0 = blockIdx.x * BY, y = y0 + ty, z0 = blockIdx.y * ZRUN;
    const int c = blockIdx.z % 32;
    const float* volume = in + (size_t)blockIdx.z * D * H * W;
    float w[27], acc[3][VEC] = {};
#pragma unroll
    for (int i = 0; i < 27; ++i) w[i] = weight[c * 27 + i];
#pragma unroll 1
    for (int z = z0 - 1; z <= z0 + ZRUN; ++z) {
        if (z >= 0 && z < D) {
            const float* plane = volume + z * H * W;
            if (STAGED) {
                __syncthreads();
                for (int i = threadIdx.x; i < (BY + 2) * (W + 2); i += 256)
                    tile[STAGED ? i : 0] = at(plane, y0 + i / (W + 2) - 1, i % (W + 2) - 1);
                __syncthreads();
            }
#pragma unroll
            for (int ky = 0; ky < 3; ++ky) {
                float v[VEC + 2];
#pragma unroll
                for (int i = 0; i < VEC + 2; ++i)
                    v[i] = STAGED ? tile[STAGED ? (ty + ky) * (W + 2) + x + i : 0] : at(plane, y + ky - 1, x + i - 1);
#pragma unroll
                for (int kz = 0; kz < 3; ++kz)
#pragma unroll
                    for (int kx = 0; kx < 3; ++kx)
#pragma unroll
                        for (int j = 0; j < VEC; ++j) acc[kz][j] += w[(2 - kz) * 9 + ky * 3 + kx] * v[j + kx];
            }
        }
        if (z > z0)
#pragma unroll
            for (int j = 0; j < VEC; ++j) out[(size_t)blockIdx.z * D * H * W + (z - 1) * H * W + y * W + x + j] = acc[0][j];
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            acc[0][j] = acc[1][j];
            acc[1][j] = acc[2][j];
            acc[2][j] = 0.0f;
        }
    }
}
