// Product of a matrix of e5m2 bytes and an FP16 vector, a block has ROWS rows; a byte is the upper half of the FP16 number.
#include <cuda_fp16.h>
constexpr int N = 8192, K = 8192, WORDS = VEC / 4;
struct alignas(VEC) Words { unsigned w[WORDS]; };
struct alignas(VEC > 8 ? 16 : VEC * 2) Halves { __half2 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
gemv_fp8_e5m2_block_rows(const Words* __restrict__ weight, const Halves* __restrict__ x, const float* __restrict__ scale, float* __restrict__ y)
{
    __shared__ float parts[ROWS][THREADS / 32];
    const int row0 = blockIdx.x * ROWS;
    float sum[ROWS] = {};
#pragma unroll 2
    for (int k = threadIdx.x; k < K / VEC; k += THREADS) {
        const Halves v = x[k];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            const Words p = weight[(size_t)(row0 + r) * (K / VEC) + k];
            __half2 packed = __float2half2_rn(0.0f);
#pragma unroll
            for (int i = 0; i < WORDS; ++i) {
                const unsigned low = __byte_perm(p.w[i], 0, 0x1404), high = __byte_perm(p.w[i], 0, 0x3424);
                const __half2 a = *reinterpret_cast<const __half2*>(&low), b = *reinterpret_cast<const __half2*>(&high);
                if (PACKED) {
                    packed = __hfma2(b, v.h[2 * i + 1], __hfma2(a, v.h[2 * i], packed));
                } else {
                    const float2 f = __half22float2(a), g = __half22float2(b), s = __half22float2(v.h[2 * i]), t = __half22float2(v.h[2 * i + 1]);
                    sum[r] += f.x * s.x + f.y * s.y + g.x * t.x + g.y * t.y;
                }
            }
            if (PACKED) sum[r] += __low2float(packed) + __high2float(packed);
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
#pragma unroll
        for (int d = 16; d; d >>= 1) sum[r] += __shfl_xor_sync(~0u, sum[r], d);
        if (threadIdx.x % 32 == 0) parts[r][threadIdx.x / 32] = sum[r];
    }
    __syncthreads();
    if (threadIdx.x < ROWS) {
        float total = 0.0f;
#pragma unroll
        for (int i = 0; i < THREADS / 32; ++i) total += parts[threadIdx.x][i];
        y[row0 + threadIdx.x] = total * scale[row0 + threadIdx.x];
    }
}
