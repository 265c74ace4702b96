// 1,024 rows of 8,192; panels of GROUPS * OWN rows, one after the other.
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(32 * GROUPS)
column_scan_panels(const Pack* __restrict__ x, Pack* __restrict__ y)
{
    __shared__ Pack sums[2][GROUPS][32];
    const int col = blockIdx.x * 32 + threadIdx.x;
    Pack carry;
    int turn = 0;
#pragma unroll
    for (int j = 0; j < VEC; ++j) carry.v[j] = 0.0f;
#pragma unroll 1
    for (int r0 = 0; r0 < 1024; r0 += GROUPS * OWN) {
        Pack f[OWN];
#pragma unroll
        for (int i = 0; i < OWN; ++i) f[i] = x[(r0 + threadIdx.y * OWN + i) * (8192 / VEC) + col];
#pragma unroll
        for (int i = 1; i < OWN; ++i)
#pragma unroll
            for (int j = 0; j < VEC; ++j) f[i].v[j] += f[i - 1].v[j];
        sums[turn][threadIdx.y][threadIdx.x] = f[OWN - 1];
        __syncthreads();
        Pack before = carry;
#pragma unroll
        for (int g = 0; g < GROUPS; ++g) {
            const Pack p = sums[turn][g][threadIdx.x];
#pragma unroll
            for (int j = 0; j < VEC; ++j) {
                if (g < threadIdx.y) before.v[j] += p.v[j];
                carry.v[j] += p.v[j];
            }
        }
        turn ^= 1;
#pragma unroll
        for (int i = 0; i < OWN; ++i) {
#pragma unroll
            for (int j = 0; j < VEC; ++j) f[i].v[j] += before.v[j];
            y[(r0 + threadIdx.y * OWN + i) * (8192 / VEC) + col] = f[i];
        }
    }
}
