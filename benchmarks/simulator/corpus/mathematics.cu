// The mathematical library: slow paths, tables, denormals, divisions of all widths, narrow floats.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define T threadIdx.x
#define N blockDim.x
typedef unsigned long long u64;

extern "C" __global__ void circular(const float* x, float* out) {
    float v = x[T], s, c;
    sincosf(v, &s, &c);
    out[T] = s, out[N + T] = c, out[2 * N + T] = tanf(v), out[3 * N + T] = atan2f(v, x[T ^ 1]);
    out[4 * N + T] = sinpif(v * 1e-3f), out[5 * N + T] = cosf(v * 1e20f), out[6 * N + T] = asinf(s), out[7 * N + T] = acosf(c * 0.5f);
}

extern "C" __global__ void circular_of_doubles(const double* x, double* out) {
    double v = x[T], s, c;
    sincos(v, &s, &c);
    out[T] = s, out[N + T] = c, out[2 * N + T] = tan(v), out[3 * N + T] = atan2(v, x[T ^ 1]), out[4 * N + T] = cos(v * 1e200);
}

extern "C" __global__ void powers(const float* x, float* out) {
    float v = x[T], a = fabsf(v);
    out[T] = expf(v * 0.01f), out[N + T] = logf(a), out[2 * N + T] = powf(a, 1.7f), out[3 * N + T] = cbrtf(v);
    out[4 * N + T] = expm1f(v * 0.001f), out[5 * N + T] = log1pf(a), out[6 * N + T] = exp10f(v * 1e-3f), out[7 * N + T] = hypotf(v, 3);
    out[8 * N + T] = rsqrtf(a), out[9 * N + T] = exp2f(v * 0.01f), out[10 * N + T] = powf(v, 3), out[11 * N + T] = rcbrtf(v);
}

extern "C" __global__ void powers_of_doubles(const double* x, double* out) {
    double v = x[T], a = fabs(v);
    out[T] = exp(v * 0.01), out[N + T] = log(a), out[2 * N + T] = pow(a, 1.7), out[3 * N + T] = cbrt(v);
    out[4 * N + T] = expm1(v * 0.001), out[5 * N + T] = log1p(a), out[6 * N + T] = sqrt(a), out[7 * N + T] = hypot(v, 3.);
    out[8 * N + T] = rsqrt(a), out[9 * N + T] = tanh(v * 0.01), out[10 * N + T] = asinh(v), out[11 * N + T] = log10(a);
}

extern "C" __global__ void special(const double* x, double* out) {
    double v = x[T] * 0.01;
    out[T] = erf(v), out[N + T] = erfc(v), out[2 * N + T] = tgamma(v + 0.5), out[3 * N + T] = lgamma(v);
    out[4 * N + T] = erff((float)v), out[5 * N + T] = tgammaf((float)v + 0.5f), out[6 * N + T] = lgammaf((float)v);
    out[7 * N + T] = normcdf(v), out[8 * N + T] = j0f((float)v);
}

extern "C" __global__ void parts(const float* x, float* out, int* whole) {
    float v = x[T], y = x[T ^ 1], i;
    int e, q;
    out[T] = frexpf(v, &e), out[N + T] = modff(v, &i), out[2 * N + T] = fmodf(v, y), out[3 * N + T] = remainderf(v, y);
    out[4 * N + T] = i, out[5 * N + T] = ldexpf(v, (int)T - 64), out[6 * N + T] = scalbnf(v, -140), out[7 * N + T] = nextafterf(v, y);
    out[8 * N + T] = copysignf(v, y), out[9 * N + T] = fdimf(v, y), out[10 * N + T] = remquof(v, y, &q), out[11 * N + T] = roundf(v * 0.5f);
    whole[T] = e, whole[N + T] = q & 7, whole[2 * N + T] = ilogbf(v), whole[3 * N + T] = (int)lrintf(v * 0.5f), whole[4 * N + T] = (int)llroundf(v * 0.5f);
    whole[5 * N + T] = isnan(v) + 2 * isinf(v) + 4 * signbit(v) + 8 * isfinite(v);
}

template <class A>
__device__ void divided(const u64* x, u64* out, int at) {
    A a = (A)x[T], b = (A)(x[T ^ 3] >> (T & 7));
    if (b == 0) b = 3;
    out[at * N + T] = (u64)(a / b), out[(at + 1) * N + T] = (u64)(a % b);
}

extern "C" __global__ void divisions(const u64* x, u64* out) {
    divided<unsigned char>(x, out, 0), divided<signed char>(x, out, 2), divided<unsigned short>(x, out, 4), divided<short>(x, out, 6);
    divided<unsigned>(x, out, 8), divided<u64>(x, out, 10), divided<long long>(x, out, 12);
}

// A double's worth of precision out of two singles.
extern "C" __global__ void two_singles(const float2* x, float2* out) {
    float2 a = x[T], b = x[T ^ 1];
    float p = a.x * b.x, e = fmaf(a.x, b.x, -p) + (a.x * b.y + a.y * b.x);
    float s = __fadd_rn(p, a.x), v = __fsub_rn(s, p);
    float r = __fadd_rn(__fsub_rn(p, __fsub_rn(s, v)), __fsub_rn(a.x, v)) + e + a.y;
    out[T].x = __fadd_rn(s, r), out[T].y = __fsub_rn(r, __fsub_rn(out[T].x, s));
}

extern "C" __global__ void denormals(const float* x, float* out) {
    float v = x[T] * 1e-38f, w;
    asm("mul.ftz.f32 %0, %1, 0f2B8CBCCC;" : "=f"(w) : "f"(x[T] * 1e-30f));  // 1e-12
    out[T] = v * 0.01f, out[N + T] = v * 0.01f + 1e-39f, out[2 * N + T] = w, out[3 * N + T] = sqrtf(fabsf(v) * 1e-4f), out[4 * N + T] = v / 300;
}

extern "C" __global__ void narrow_functions(const __half2* x, const __nv_bfloat162* y, __half2* out, __nv_bfloat162* also) {
    __half2 v = x[T];
    __nv_bfloat162 w = y[T];
    out[T] = h2floor(v), out[N + T] = h2rint(v), out[2 * N + T] = __hmul2_sat(v, v), out[3 * N + T] = __hfma2_relu(v, v, __hneg2(v));
    out[4 * N + T] = __habs2(v), out[5 * N + T] = __hmax2_nan(v, __lowhigh2highlow(v)), out[6 * N + T] = h2trunc(v);
    out[7 * N + T] = __hgt2(v, __float2half2_rn(1)), out[8 * N + T] = h2sqrt(__habs2(v)), out[9 * N + T] = __h2div(v, __float2half2_rn(3));
    also[T] = __hadd2(w, w), also[N + T] = __hmul2(w, __low2bfloat162(w)), also[2 * N + T] = h2ceil(w), also[3 * N + T] = __hmin2(w, __hneg2(w));
    also[4 * N + T] = __hsub2(w, __float2bfloat162_rn(0.3f)), also[5 * N + T] = h2rcp(w);
}
