// C (1,024 x 1,024) = A (1,024 x DEPTH) B (DEPTH x 1,024); a group has 256 / SLICES threads and 4 SLICES rows a thread.
constexpr int GROUP = 256 / SLICES, TM = 4 * SLICES, LD = 64 + PAD, TILE = BK * LD;
constexpr int WORDS = SLICES * 2 * TILE > 4096 ? SLICES * 2 * TILE : 4096;

extern "C" __global__ void __launch_bounds__(256)
sgemm_sliced_depth_block(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    alignas(16) __shared__ float shared[WORDS];
    const int slice = threadIdx.x / GROUP, t = threadIdx.x % GROUP, tx = t % 16, ty = t / 16;
    const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float *as = shared + slice * 2 * TILE, *bs = as + TILE;
    float acc[TM][4] = {};
#pragma unroll 1
    for (int k0 = slice * BK; k0 < DEPTH; k0 += SLICES * BK) {
#pragma unroll
        for (int p = t; p < 16 * BK; p += GROUP) {
            const int r = p / (BK / 4), k = p % (BK / 4) * 4;
            const float4 f = *reinterpret_cast<const float4*>(a + (row0 + r) * DEPTH + k0 + k);
            as[k * LD + r] = f.x;
            as[(k + 1) * LD + r] = f.y;
            as[(k + 2) * LD + r] = f.z;
            as[(k + 3) * LD + r] = f.w;
            *reinterpret_cast<float4*>(bs + p / 16 * LD + p % 16 * 4) = *reinterpret_cast<const float4*>(b + (k0 + p / 16) * 1024 + col0 + p % 16 * 4);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            const float4 v = *reinterpret_cast<const float4*>(bs + k * LD + tx * 4);
#pragma unroll
            for (int i = 0; i < TM; i += 4) {
                const float4 u = *reinterpret_cast<const float4*>(as + k * LD + ty * TM + i);
                const float m[4] = {u.x, u.y, u.z, u.w};
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    acc[i + j][0] += m[j] * v.x;
                    acc[i + j][1] += m[j] * v.y;
                    acc[i + j][2] += m[j] * v.z;
                    acc[i + j][3] += m[j] * v.w;
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int s = 1; s < SLICES; ++s) {
        if (slice == s)
#pragma unroll
            for (int i = 0; i < TM; ++i)
                *reinterpret_cast<float4*>(shared + (ty * TM + i) * 64 + tx * 4) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        __syncthreads();
        if (slice == 0)
#pragma unroll
            for (int i = 0; i < TM; ++i) {
                const float4 f = *reinterpret_cast<const float4*>(shared + (ty * TM + i) * 64 + tx * 4);
                acc[i][0] += f.x;
                acc[i][1] += f.y;
                acc[i][2] += f.z;
                acc[i][3] += f.w;
            }
        __syncthreads();
    }
    if (slice == 0)
#pragma unroll
        for (int i = 0; i < TM; ++i)
            *reinterpret_cast<float4*>(c + (row0 + ty * TM + i) * 1024 + col0 + tx * 4) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}
