// FP16 activations quantised to FP8 (e4m3) with a scale for every 128 numbers of a row, 8 to 32 lanes a group; scales
// are stored by row or by column.
#include <cuda_fp16.h>
#include <cuda_fp8.h>

constexpr int PER = 128 / LANES, COLS = 7168, GROUPS = COLS / 128;

struct alignas(PER * 2 > 16 ? 16 : PER * 2) In { __half2 h[PER / 2]; };
struct alignas(PER) Out { __nv_fp8x2_storage_t v[PER / 2]; };

extern "C" __global__ void fp8_block_quant(const In* __restrict__ x, Out* __restrict__ q, float* __restrict__ scales, int rows)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x, group = thread / LANES, lane = thread % LANES;
    const In p = x[thread];
    float2 f[PER / 2];
    float top = 1e-4f;
#pragma unroll
    for (int i = 0; i < PER / 2; ++i) {
        f[i] = __half22float2(p.h[i]);
        top = fmaxf(top, fmaxf(fabsf(f[i].x), fabsf(f[i].y)));
    }
#pragma unroll
    for (int d = LANES / 2; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));
    const float scale = top / 448.0f, inverse = 448.0f / top;
    Out o;
#pragma unroll
    for (int i = 0; i < PER / 2; ++i)
        o.v[i] = __nv_cvt_float2_to_fp8x2(make_float2(f[i].x * inverse, f[i].y * inverse), __NV_SATFINITE, __NV_E4M3);
    q[thread] = o;
    if (lane == 0) scales[BY_COLUMN ? group % GROUPS * rows + group / GROUPS : group] = scale;
}
