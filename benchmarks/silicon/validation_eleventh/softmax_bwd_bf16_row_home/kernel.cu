// Gradient of a softmax by its input from its result and the gradient of that; a block has a row. Between the sum and
// the result rows stay in registers (2), in shared memory (1), or are read again (0).
#include <cuda_bf16.h>
constexpr int OWN = COLS / 8 / THREADS;

__device__ __forceinline__ float dot8(const uint4& a, const uint4& b)
{
    const __nv_bfloat162 *p = reinterpret_cast<const __nv_bfloat162*>(&a), *q = reinterpret_cast<const __nv_bfloat162*>(&b);
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float2 f = __bfloat1622float2(p[i]), g = __bfloat1622float2(q[i]);
        sum += f.x * g.x + f.y * g.y;
    }
    return sum;
}

__device__ __forceinline__ uint4 grad8(const uint4& a, const uint4& b, float dot)
{
    const __nv_bfloat162 *p = reinterpret_cast<const __nv_bfloat162*>(&a), *q = reinterpret_cast<const __nv_bfloat162*>(&b);
    uint4 result;
    __nv_bfloat162* r = reinterpret_cast<__nv_bfloat162*>(&result);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float2 f = __bfloat1622float2(p[i]), g = __bfloat1622float2(q[i]);
        r[i] = __floats2bfloat162_rn(f.x * (g.x - dot), f.y * (g.y - dot));
    }
    return result;
}

extern "C" __global__ void __launch_bounds__(THREADS)
softmax_bwd_bf16_row_home(const uint4* __restrict__ y, const uint4* __restrict__ dy, uint4* __restrict__ dx)
{
    __shared__ uint4 ys[HOME == 1 ? COLS / 8 : 1], dys[HOME == 1 ? COLS / 8 : 1];
    __shared__ float parts[THREADS / 32];
    const size_t base = (size_t)blockIdx.x * (COLS / 8);
    uint4 a[HOME == 2 ? OWN : 1], b[HOME == 2 ? OWN : 1];
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
        const int at = i * THREADS + threadIdx.x;
        const uint4 p = y[base + at], q = dy[base + at];
        sum += dot8(p, q);
        if (HOME == 2) {
            a[HOME == 2 ? i : 0] = p;
            b[HOME == 2 ? i : 0] = q;
        } else if (HOME == 1) {
            ys[HOME == 1 ? at : 0] = p;
            dys[HOME == 1 ? at : 0] = q;
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0.0f;
#pragma unroll
    for (int i = 0; i < THREADS / 32; ++i) sum += parts[i];
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
        const int at = i * THREADS + threadIdx.x;
        if (HOME == 2)
            dx[base + at] = grad8(a[HOME == 2 ? i : 0], b[HOME == 2 ? i : 0], sum);
        else if (HOME == 1)
            dx[base + at] = grad8(ys[HOME == 1 ? at : 0], dys[HOME == 1 ? at : 0], sum);
        else
            dx[base + at] = grad8(y[base + at], dy[base + at], sum);
    }
}
