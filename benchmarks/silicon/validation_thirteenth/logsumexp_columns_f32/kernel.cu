// Logarithm of the sum of exponentials of each column; rows of threads share a strip and merge in shared memory.
constexpr int ROWS = 2048, U = UNROLL;
struct alignas(VEC * 4) Pack { float f[VEC]; };

extern "C" __global__ void __launch_bounds__(32 * BY)
logsumexp_columns_f32(const Pack* __restrict__ x, Pack* __restrict__ out)
{
    __shared__ float tops[BY][32 * VEC], sums[BY][32 * VEC];
    const int strip = blockIdx.x * 32 + threadIdx.x;
    float top[VEC], sum[VEC];
#pragma unroll
    for (int j = 0; j < VEC; ++j) top[j] = -1e30f, sum[j] = 0.0f;
#pragma unroll 1
    for (int r = threadIdx.y; r < ROWS; r += BY * U) {
        Pack p[U];
#pragma unroll
        for (int u = 0; u < U; ++u) p[u] = x[(size_t)(r + u * BY) * (COLS / VEC) + strip];
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            float here = top[j];
#pragma unroll
            for (int u = 0; u < U; ++u) here = fmaxf(here, p[u].f[j]);
            sum[j] *= __expf(top[j] - here);
#pragma unroll
            for (int u = 0; u < U; ++u) sum[j] += __expf(p[u].f[j] - here);
            top[j] = here;
        }
    }
#pragma unroll
    for (int j = 0; j < VEC; ++j) {
        tops[threadIdx.y][threadIdx.x * VEC + j] = top[j];
        sums[threadIdx.y][threadIdx.x * VEC + j] = sum[j];
    }
    __syncthreads();
    if (threadIdx.y == 0) {
        Pack o;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            for (int w = 1; w < BY; ++w) {
                const float om = tops[w][threadIdx.x * VEC + j], os = sums[w][threadIdx.x * VEC + j], both = fmaxf(top[j], om);
                sum[j] = sum[j] * __expf(top[j] - both) + os * __expf(om - both);
                top[j] = both;
            }
            o.f[j] = top[j] + logf(sum[j]);
        }
        out[strip] = o;
    }
}
