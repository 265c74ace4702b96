// dots[r] = sum of conj(x) y; a plane has the real parts, the other the imaginary ones.
constexpr int N = 2048, THREADS = WARPS * 32, PLANE = 4096 * N;
struct alignas(VEC * 4) Pack { float f[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
dot_complex_conjugate_rows(const float* __restrict__ x, const float* __restrict__ y, float2* __restrict__ dots)
{
    constexpr int U = UNROLL;
    __shared__ float2 part[WARPS];
    float re = 0.0f, im = 0.0f;
    if (PLANES) {
        const size_t row = (size_t)blockIdx.x * N;
#pragma unroll U
        for (int i = threadIdx.x * VEC; i < N; i += THREADS * VEC) {
            const Pack a = *reinterpret_cast<const Pack*>(x + row + i), b = *reinterpret_cast<const Pack*>(x + PLANE + row + i);
            const Pack c = *reinterpret_cast<const Pack*>(y + row + i), d = *reinterpret_cast<const Pack*>(y + PLANE + row + i);
#pragma unroll
            for (int j = 0; j < VEC; ++j) {
                re += a.f[j] * c.f[j] + b.f[j] * d.f[j];
                im += a.f[j] * d.f[j] - b.f[j] * c.f[j];
            }
        }
    } else {
        const size_t row = (size_t)blockIdx.x * 2 * N;
#pragma unroll U
        for (int i = threadIdx.x * VEC; i < 2 * N; i += THREADS * VEC) {
            const Pack a = *reinterpret_cast<const Pack*>(x + row + i), c = *reinterpret_cast<const Pack*>(y + row + i);
#pragma unroll
            for (int j = 0; j < VEC; j += 2) {
                re += a.f[j] * c.f[j] + a.f[j + 1] * c.f[j + 1];
                im += a.f[j] * c.f[j + 1] - a.f[j + 1] * c.f[j];
            }
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        re += __shfl_xor_sync(~0u, re, d);
        im += __shfl_xor_sync(~0u, im, d);
    }
    if (WARPS > 1) {
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = make_float2(re, im);
        __syncthreads();
        re = im = 0.0f;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            re += part[w].x;
            im += part[w].y;
        }
    }
    if (threadIdx.x == 0) dots[blockIdx.x] = make_float2(re, im);
}
