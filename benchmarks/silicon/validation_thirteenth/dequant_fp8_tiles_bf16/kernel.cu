// Bytes in e4m3 to bf16 with a factor a tile of 128 x 128; threads go along rows or through a tile.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
constexpr int COLS = 4096, W = 128 / VEC;
struct alignas(VEC) Bytes { unsigned short b[VEC / 2]; };
struct alignas(16) Pack { __nv_bfloat162 h[4]; };
struct alignas(8) Half { __nv_bfloat162 h[2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
dequant_fp8_tiles_bf16(const unsigned char* __restrict__ w, const float* __restrict__ scale, __nv_bfloat16* __restrict__ out)
{
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
    Bytes b[EACH];
    int place[EACH];
    float s[EACH];
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const int at = first + i * THREADS;
        int row, col;
        if (BY_TILE) {
            const int tile = at / (128 * W), in = at % (128 * W);
            row = tile / (COLS / 128) * 128 + in / W;
            col = tile % (COLS / 128) * 128 + in % W * VEC;
        } else {
            row = at / (COLS / VEC);
            col = at % (COLS / VEC) * VEC;
        }
        place[i] = row * COLS + col;
        b[i] = *reinterpret_cast<const Bytes*>(w + place[i]);
        s[i] = scale[row / 128 * (COLS / 128) + col / 128];
    }
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        __nv_bfloat162 o[VEC / 2];
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(b[i].b[j], __NV_E4M3)));
            o[j] = __floats2bfloat162_rn(f.x * s[i], f.y * s[i]);
        }
        if (VEC == 4) {
            Half h;
            h.h[0] = o[0];
            h.h[1] = o[1];
            *reinterpret_cast<Half*>(out + place[i]) = h;
        } else {
#pragma unroll
            for (int k = 0; k < VEC / 8; ++k) {
                Pack p;
#pragma unroll
                for (int j = 0; j < 4; ++j) p.h[j] = o[k * 4 + j];
                *reinterpret_cast<Pack*>(out + place[i] + k * 8) = p;
            }
        }
    }
}
