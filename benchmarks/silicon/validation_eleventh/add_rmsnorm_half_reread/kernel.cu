// Sum of an FP16 input and a residual, and its RMS norm; the sum is stored and read again (1) or kept in registers (0).
#include <cuda_fp16.h>
constexpr int OWN = COLS / (2 * VEC) / THREADS;
struct alignas(VEC * 4) Pack { __half2 h[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
add_rmsnorm_half_reread(const Pack* __restrict__ x, const Pack* __restrict__ residual, const Pack* __restrict__ weight,
                        Pack* total, Pack* __restrict__ y)
{
    __shared__ float parts[THREADS / 32];
    const size_t base = (size_t)blockIdx.x * (COLS / (2 * VEC)) + threadIdx.x;
    Pack kept[REREAD ? 1 : OWN];
    float squares = 0.0f;
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
        const Pack p = x[base + i * THREADS], q = residual[base + i * THREADS];
        Pack s;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            s.h[j] = __hadd2(p.h[j], q.h[j]);
            const float2 f = __half22float2(s.h[j]);
            squares += f.x * f.x + f.y * f.y;
        }
        total[base + i * THREADS] = s;
        if (!REREAD) kept[REREAD ? 0 : i] = s;
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) squares += __shfl_down_sync(~0u, squares, d);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = squares;
    __syncthreads();
    if (threadIdx.x < 32) {
        squares = threadIdx.x < THREADS / 32 ? parts[threadIdx.x] : 0.0f;
#pragma unroll
        for (int d = 16; d; d >>= 1) squares += __shfl_down_sync(~0u, squares, d);
        if (threadIdx.x == 0) parts[0] = rsqrtf(squares * (1.0f / COLS) + 1.0e-6f);
    }
    __syncthreads();
    const float by = parts[0];
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
        const Pack s = REREAD ? total[base + i * THREADS] : kept[REREAD ? 0 : i], w = weight[threadIdx.x + i * THREADS];
        Pack r;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const float2 f = __half22float2(s.h[j]);
            r.h[j] = __hmul2(__floats2half2_rn(f.x * by, f.y * by), w.h[j]);
        }
        y[base + i * THREADS] = r;
    }
}
