// Power sums of a long vector, a partial result a block; ILP independent sets of accumulators a thread.
#if DOUBLES
typedef double real;
#else
typedef float real;
#endif

constexpr int COUNT = 16220160 / VEC, STRIDE = 528 * 256;

struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
moments_four(const Pack* __restrict__ x, double* __restrict__ sums)
{
    __shared__ real parts[4][8];
    real s[ILP][4] = {};
    for (int i = blockIdx.x * 256 + threadIdx.x; i < COUNT; i += STRIDE * ILP) {
        Pack p[ILP];
#pragma unroll
        for (int j = 0; j < ILP; ++j) {
            if (i + j * STRIDE < COUNT)
                p[j] = x[i + j * STRIDE];
            else
                p[j] = {};
        }
#pragma unroll
        for (int j = 0; j < ILP; ++j)
#pragma unroll
            for (int k = 0; k < VEC; ++k) {
                const real v = p[j].v[k], q = v * v;
                s[j][0] += v;
                s[j][1] += q;
                s[j][2] += q * v;
                s[j][3] += q * q;
            }
    }
#pragma unroll
    for (int m = 0; m < 4; ++m) {
        real total = s[0][m];
#pragma unroll
        for (int j = 1; j < ILP; ++j) total += s[j][m];
#pragma unroll
        for (int d = 16; d > 0; d >>= 1) total += __shfl_down_sync(0xffffffff, total, d);
        if (threadIdx.x % 32 == 0) parts[m][threadIdx.x / 32] = total;
    }
    __syncthreads();
    if (threadIdx.x < 4) {
        real total = 0;
        for (int w = 0; w < 8; ++w) total += parts[threadIdx.x][w];
        sums[blockIdx.x * 4 + threadIdx.x] = total;
    }
}
