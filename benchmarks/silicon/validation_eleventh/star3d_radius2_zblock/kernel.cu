// A star of 13 places in a volume with a rim; a block goes through ZRUN planes with five of them in registers.
constexpr int N = 256, PX = N + 8, PY = N + 4, BX = 64 / VEC, TW = 64 + 8;
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(BX * BY)
star3d_radius2_zblock(const float* __restrict__ in, float* __restrict__ out)
{
    __shared__ float tile[STAGED ? BY + 4 : 1][TW];
    const int x = blockIdx.x * 64 + threadIdx.x * VEC, y = blockIdx.y * BY + threadIdx.y, z0 = blockIdx.z * ZRUN;
    const size_t step = (size_t)PX * PY;
    const float* p = in + z0 * step + (size_t)(y + 2) * PX + x + 4;
    float* to = out + z0 * step + (size_t)(y + 2) * PX + x + 4 + 2 * step;
    Pack q[5];
#pragma unroll
    for (int i = 0; i < 4; ++i) q[i] = *reinterpret_cast<const Pack*>(p + i * step);
#pragma unroll 1
    for (int z = 0; z < ZRUN; ++z) {
        q[4] = *reinterpret_cast<const Pack*>(p + (z + 4) * step);
        const float* here = p + (z + 2) * step;
        Pack r;
        if (STAGED) {
            __syncthreads();
            for (int i = threadIdx.y * BX + threadIdx.x; i < (BY + 4) * TW; i += BX * BY)
                tile[STAGED ? i / TW : 0][i % TW] =
                    in[(z0 + z + 2) * step + (size_t)(blockIdx.y * BY + i / TW) * PX + blockIdx.x * 64 + i % TW];
            __syncthreads();
        }
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            float s1, s2;
            if (STAGED) {
                const int ty = STAGED ? threadIdx.y + 2 : 0, tx = threadIdx.x * VEC + 4 + j;
                s1 = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[STAGED ? ty - 1 : 0][tx] + tile[STAGED ? ty + 1 : 0][tx];
                s2 = tile[ty][tx - 2] + tile[ty][tx + 2] + tile[STAGED ? ty - 2 : 0][tx] + tile[STAGED ? ty + 2 : 0][tx];
            } else {
                s1 = here[j - 1] + here[j + 1] + here[j - PX] + here[j + PX];
                s2 = here[j - 2] + here[j + 2] + here[j - 2 * PX] + here[j + 2 * PX];
            }
            s1 += q[1].v[j] + q[3].v[j];
            s2 += q[0].v[j] + q[4].v[j];
            r.v[j] = 0.25f * q[2].v[j] + 0.09f * s1 + 0.035f * s2;
        }
        *reinterpret_cast<Pack*>(to + z * step) = r;
#pragma unroll
        for (int i = 0; i < 4; ++i) q[i] = q[i + 1];
    }
}
