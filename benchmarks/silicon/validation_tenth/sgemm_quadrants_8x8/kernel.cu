// C (2,048 x 2,048) = A (2,048 x 512) B (512 x 2,048); the tile of A lies in shared memory by columns.
constexpr int LD = 128 + PAD, PIECES = BK / 8;

extern "C" __global__ void __launch_bounds__(256)
sgemm_quadrants_8x8(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    alignas(16) __shared__ float as[BK * LD], bs[BK * LD];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row0 = blockIdx.y * 128, col0 = blockIdx.x * 128;
    const int y0 = QUADS ? ty * 4 : ty * 8, y1 = QUADS ? 64 + ty * 4 : ty * 8 + 4;
    const int x0 = QUADS ? tx * 4 : tx * 8, x1 = QUADS ? 64 + tx * 4 : tx * 8 + 4;
    float4 na[PIECES], nb[PIECES];
    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < PIECES; ++i) {
            const int p = threadIdx.x + i * 256;
            na[i] = *reinterpret_cast<const float4*>(a + (row0 + p / (BK / 4)) * 512 + k0 + p % (BK / 4) * 4);
            nb[i] = *reinterpret_cast<const float4*>(b + (k0 + p / 32) * 2048 + col0 + p % 32 * 4);
        }
    };
    float acc[8][8] = {};
    if (AHEAD) fetch(0);
#pragma unroll 1
    for (int k0 = 0; k0 < 512; k0 += BK) {
        if (!AHEAD) fetch(k0);
#pragma unroll
        for (int i = 0; i < PIECES; ++i) {
            const int p = threadIdx.x + i * 256, r = p / (BK / 4), k = p % (BK / 4) * 4;
            as[k * LD + r] = na[i].x;
            as[(k + 1) * LD + r] = na[i].y;
            as[(k + 2) * LD + r] = na[i].z;
            as[(k + 3) * LD + r] = na[i].w;
            *reinterpret_cast<float4*>(bs + p / 32 * LD + p % 32 * 4) = nb[i];
        }
        __syncthreads();
        if (AHEAD && k0 + BK < 512) fetch(k0 + BK);
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            const float4 u0 = *reinterpret_cast<const float4*>(as + k * LD + y0), u1 = *reinterpret_cast<const float4*>(as + k * LD + y1);
            const float4 v0 = *reinterpret_cast<const float4*>(bs + k * LD + x0), v1 = *reinterpret_cast<const float4*>(bs + k * LD + x1);
            const float u[8] = {u0.x, u0.y, u0.z, u0.w, u1.x, u1.y, u1.z, u1.w}, v[8] = {v0.x, v0.y, v0.z, v0.w, v1.x, v1.y, v1.z, v1.w};
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j) acc[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        float* to = c + (size_t)(row0 + (i < 4 ? y0 + i : y1 + i - 4)) * 2048 + col0;
        *reinterpret_cast<float4*>(to + x0) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        *reinterpret_cast<float4*>(to + x1) = make_float4(acc[i][4], acc[i][5], acc[i][6], acc[i][7]);
    }
}
