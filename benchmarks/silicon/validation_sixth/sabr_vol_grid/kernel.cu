// Beta is 0.6; strikes between half and twice the forward rate.
#if PRECISION == 2
typedef double Real;
__device__ Real power(Real x, Real y) { return pow(x, y); }
__device__ Real logarithm(Real x) { return log(x); }
__device__ Real root(Real x) { return sqrt(x); }
#elif PRECISION == 1
typedef float Real;
__device__ Real power(Real x, Real y) { return powf(x, y); }
__device__ Real logarithm(Real x) { return logf(x); }
__device__ Real root(Real x) { return sqrtf(x); }
#else
typedef float Real;
__device__ Real power(Real x, Real y) { return __powf(x, y); }
__device__ Real logarithm(Real x) { return __logf(x); }
__device__ Real root(Real x) { return __fsqrt_rn(x); }
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
sabr_vol_grid(const float* __restrict__ strikes, const float* __restrict__ expiries, float* __restrict__ vols,
              float forward, float alpha, float rho, float nu)
{
    constexpr Real BETA = Real(0.6), ONE = Real(1), REST = ONE - BETA;
    const Real f = forward, a = alpha, r = rho, v = nu;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = (blockIdx.x * EACH + e) * THREADS + threadIdx.x;
        const Real strike = f * (Real(0.5) + Real(1.5) * strikes[i]), t = Real(10) * expiries[i];
        const Real middle = power(f * strike, REST / 2), moneyness = logarithm(f / strike), m2 = moneyness * moneyness;
        const Real z = v / a * middle * moneyness;
        const Real x = logarithm((root(ONE - 2 * r * z + z * z) + z - r) / (ONE - r));
        const Real ratio = fabs(z) < Real(1e-4) ? ONE - Real(0.5) * r * z : z / x;
        const Real below = middle * (ONE + REST * REST / 24 * m2 + REST * REST * REST * REST / 1920 * m2 * m2);
        const Real later = REST * REST / 24 * a * a / (middle * middle) + Real(0.25) * r * BETA * v * a / middle +
                           (2 - 3 * r * r) / 24 * v * v;
        vols[i] = a / below * ratio * (ONE + later * t);
    }
}
