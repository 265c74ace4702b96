// Gradient of RMS norm for bf16 rows with 128-bit accesses; the block's y picks the row.
// Two sums a row, through shuffles and, above a warp, shared memory.
#include <cuda_bf16.h>
__device__ void unpack(uint4 raw, float* f) {
    const unsigned* w = (const unsigned*)&raw;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        f[2 * i] = __uint_as_float(w[i] << 16);
        f[2 * i + 1] = __uint_as_float(w[i] & 0xffff0000u);
    }
}

extern "C" __global__ void rms_norm_backward(const uint4* __restrict__ x, const uint4* __restrict__ dy,
                                             const uint4* __restrict__ weight, uint4* __restrict__ dx) {
    constexpr int vectors = COLUMNS / 8, each = vectors / THREADS_ROW, warps = THREADS_ROW / 32;
    __shared__ float2 scratch[ROWS_BLOCK][warps];
    size_t base = ((size_t)blockIdx.x * ROWS_BLOCK + threadIdx.y) * vectors + threadIdx.x;
    uint4 raw[each], up[each];
    float squares = 0.0f, dots = 0.0f, a[8], d[8], w[8];
#pragma unroll
    for (int i = 0; i < each; ++i) {
        raw[i] = x[base + i * THREADS_ROW];
        up[i] = dy[base + i * THREADS_ROW];
        unpack(raw[i], a);
        unpack(up[i], d);
        unpack(weight[threadIdx.x + i * THREADS_ROW], w);
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            squares = fmaf(a[k], a[k], squares);
            dots = fmaf(a[k] * w[k], d[k], dots);
        }
    }
    for (int o = 16; o; o >>= 1) {
        squares += __shfl_xor_sync(~0u, squares, o);
        dots += __shfl_xor_sync(~0u, dots, o);
    }
    if (warps > 1) {
        if (threadIdx.x % 32 == 0) scratch[threadIdx.y][threadIdx.x / 32] = make_float2(squares, dots);
        __syncthreads();
        squares = dots = 0.0f;
#pragma unroll
        for (int i = 0; i < warps; ++i) {
            squares += scratch[threadIdx.y][i].x;
            dots += scratch[threadIdx.y][i].y;
        }
    }
    float inverse = rsqrtf(squares / COLUMNS + 1e-6f);
    float along = dots * inverse * inverse * inverse / COLUMNS;
#pragma unroll
    for (int i = 0; i < each; ++i) {
        unpack(raw[i], a);
        unpack(up[i], d);
        unpack(weight[threadIdx.x + i * THREADS_ROW], w);
        uint4 result;
        __nv_bfloat162* p = (__nv_bfloat162*)&result;
#pragma unroll
        for (int k = 0; k < 4; ++k)
            p[k] = __floats2bfloat162_rn(inverse * w[2 * k] * d[2 * k] - along * a[2 * k],
                                         inverse * w[2 * k + 1] * d[2 * k + 1] - along * a[2 * k + 1]);
        dx[base + i * THREADS_ROW] = result;
    }
}
