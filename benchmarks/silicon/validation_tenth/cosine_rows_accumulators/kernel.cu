// 4,096 rows of 2,048; ACC accesses of a lane to each row are in flight together.
constexpr int STEPS = 2048 / (32 * VEC * ACC);
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(32 * WARPS)
cosine_rows_accumulators(const Pack* __restrict__ a, const Pack* __restrict__ b, float* __restrict__ cosine)
{
    const int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    float ab[ACC] = {}, aa[ACC] = {}, bb[ACC] = {};
#pragma unroll 1
    for (int s = 0; s < STEPS; ++s) {
        Pack p[ACC], q[ACC];
#pragma unroll
        for (int i = 0; i < ACC; ++i) {
            p[i] = a[row * (2048 / VEC) + (s * ACC + i) * 32 + lane];
            q[i] = b[row * (2048 / VEC) + (s * ACC + i) * 32 + lane];
        }
#pragma unroll
        for (int i = 0; i < ACC; ++i)
#pragma unroll
            for (int j = 0; j < VEC; ++j) {
                ab[i] += p[i].v[j] * q[i].v[j];
                aa[i] += p[i].v[j] * p[i].v[j];
                bb[i] += q[i].v[j] * q[i].v[j];
            }
    }
#pragma unroll
    for (int i = 1; i < ACC; ++i) {
        ab[0] += ab[i];
        aa[0] += aa[i];
        bb[0] += bb[i];
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        ab[0] += __shfl_xor_sync(~0u, ab[0], d);
        aa[0] += __shfl_xor_sync(~0u, aa[0], d);
        bb[0] += __shfl_xor_sync(~0u, bb[0], d);
    }
    if (lane == 0) cosine[row] = ab[0] * rsqrtf(aa[0] * bb[0] + 1.0e-12f);
}
