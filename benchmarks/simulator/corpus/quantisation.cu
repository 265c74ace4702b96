// Narrow floating-point types and quantisation.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#define T threadIdx.x

extern "C" __global__ void bytes_by_rows(const float* x, signed char* q, float* scales) {
    float largest = 0;
    for (int c = T % 32; c < 64; c += 32) largest = fmaxf(largest, fabsf(x[T / 32 * 64 + c]));
    for (int d = 16; d; d /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, d));
    float scale = largest / 127.f;
    for (int c = T % 32; c < 64; c += 32) q[T / 32 * 64 + c] = (signed char)__float2int_rn(x[T / 32 * 64 + c] / scale);
    if (T % 32 == 0) scales[T / 32] = scale;
}

extern "C" __global__ void nibbles_to_halves(const unsigned* q, const __half* scale, __half* out) {
    unsigned w = q[T];
    for (int k = 0; k < 8; ++k) out[8 * T + k] = __hmul(__int2half_rn((int)(w >> 4 * k & 15) - 8), scale[T / 4]);
}

extern "C" __global__ void fp8_of_both_kinds(const float* x, unsigned char* a, unsigned char* b, float* back) {
    a[T] = __nv_cvt_float_to_fp8(x[T], __NV_SATFINITE, __NV_E4M3);
    b[T] = __nv_cvt_float_to_fp8(x[T], __NV_SATFINITE, __NV_E5M2);
    back[T] = __half2float(__half(__nv_cvt_fp8_to_halfraw(a[T], __NV_E4M3)));
    back[128 + T] = __half2float(__half(__nv_cvt_fp8_to_halfraw(b[T], __NV_E5M2)));
}

extern "C" __global__ void fp8_by_blocks(const float* x, __nv_fp8x4_e4m3* q, float* scales) {
    float4 v = ((const float4*)x)[T];
    float largest = fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)));
    for (int d = 4; d; d /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, d));
    float scale = exp2f(ceilf(log2f(largest / 448.f)));
    q[T] = __nv_fp8x4_e4m3(make_float4(v.x / scale, v.y / scale, v.z / scale, v.w / scale));
    if (T % 8 == 0) scales[T / 8] = scale;
}

extern "C" __global__ void halves_and_bfloats(const float* x, __half* h, __nv_bfloat16* b, float* out) {
    h[T] = __float2half_rn(x[T]), b[T] = __float2bfloat16_rn(x[T]);
    h[128 + T] = __float2half_rz(x[T]), b[128 + T] = __float2bfloat16_rz(x[T]);
    out[T] = __half2float(h[T]) + __bfloat162float(b[T]);
}

extern "C" __global__ void half_arithmetic(const __half2* x, const __half2* y, __half2* out) {
    __half2 a = x[T], b = y[T];
    out[T] = __hadd2(a, b), out[64 + T] = __hmul2(a, b), out[128 + T] = __hfma2(a, b, a), out[192 + T] = __hmax2(a, b), out[256 + T] = __hneg2(__habs2(a));
    out[320 + T] = __hge2(a, b);
}
