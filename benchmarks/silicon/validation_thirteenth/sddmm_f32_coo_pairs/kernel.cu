// Scaled dot products of rows of two matrices at coordinates; LANES lanes a pair, EACH pairs a group of lanes.
constexpr int PACKS = DIM / VEC;
struct alignas(VEC * 4) Pack { float f[VEC]; };

extern "C" __global__ void __launch_bounds__(128)
sddmm_f32_coo_pairs(const int* __restrict__ rows, const int* __restrict__ cols, const float* __restrict__ scale,
                    const Pack* __restrict__ a, const Pack* __restrict__ b, float* __restrict__ out)
{
    const int id = blockIdx.x * 128 + threadIdx.x, lane = id % LANES, p0 = id / LANES * EACH;
    float dot[EACH] = {};
    const Pack *pa[EACH], *pb[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        pa[e] = a + (size_t)rows[p0 + e] * PACKS + lane;
        pb[e] = b + (size_t)cols[p0 + e] * PACKS + lane;
    }
#pragma unroll 4
    for (int i = 0; i < PACKS; i += LANES)
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const Pack p = pa[e][i], q = pb[e][i];
#pragma unroll
            for (int j = 0; j < VEC; ++j) dot[e] += p.f[j] * q.f[j];
        }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
#pragma unroll
        for (int d = LANES / 2; d; d >>= 1) dot[e] += __shfl_xor_sync(~0u, dot[e], d);
        if (lane == 0) out[p0 + e] = dot[e] * scale[p0 + e];
    }
}
