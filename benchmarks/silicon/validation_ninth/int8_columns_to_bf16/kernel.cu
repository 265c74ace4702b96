// y = x scale + offset; rows of a thread lie a ROWS-th of the matrix apart.
#include <cuda_bf16.h>
struct alignas(VEC) Few { unsigned v[VEC / 4]; };
struct alignas(16) Part { __nv_bfloat162 v[4]; };
struct alignas(8) Small { __nv_bfloat162 v[2]; };

extern "C" __global__ void __launch_bounds__(256)
int8_columns_to_bf16(const Few* __restrict__ x, const float2* __restrict__ scale, void* __restrict__ y)
{
    constexpr int WIDE = COLS / VEC, APART = 33554432 / VEC / ROWS;
    const int id = blockIdx.x * 256 + threadIdx.x, c = id % WIDE * VEC;
    float2 s[VEC];
    Few f[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) f[r] = x[id + r * APART];
#pragma unroll
    for (int j = 0; j < VEC; j += 2) {
        const float4 p = reinterpret_cast<const float4*>(scale)[(c + j) / 2];
        s[j] = make_float2(p.x, p.y);
        s[j + 1] = make_float2(p.z, p.w);
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        __nv_bfloat162 b[VEC / 2];
#pragma unroll
        for (int j = 0; j < VEC; j += 2) {
            const int low = (signed char)(f[r].v[j / 4] >> j % 4 * 8), high = (signed char)(f[r].v[j / 4] >> (j % 4 + 1) * 8);
            b[j / 2] = __floats2bfloat162_rn(low * s[j].x + s[j].y, high * s[j + 1].x + s[j + 1].y);
        }
        const size_t at = (size_t)(id + r * APART);
        if (VEC == 4) {
            static_cast<Small*>(y)[at] = Small{{b[0], b[1]}};
        } else {
#pragma unroll
            for (int j = 0; j < VEC / 8; ++j)
                static_cast<Part*>(y)[at * (VEC / 8) + j] = Part{{b[4 * j], b[4 * j + 1], b[4 * j + 2], b[4 * j + 3]}};
        }
    }
}
