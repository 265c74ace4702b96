// Six numbers in (xx, yy, zz, xy, xz, yz), six out (three values, the vector of the first); no sweeps: closed form.
constexpr int COUNT = 393216;

#if PLANES
#define AT(k) (k) * COUNT + i
#else
#define AT(k) i * 6 + (k)
#endif

__device__ void turn(float& p, float& q, float& off, float& r, float& s, float (&v)[3], float (&w)[3])
{
    const float theta = 0.5f * (q - p) / (fabsf(off) > 1e-20f ? off : 1e-20f);
    const float t = copysignf(1.0f, theta) / (fabsf(theta) + sqrtf(theta * theta + 1.0f));
    const float c = rsqrtf(t * t + 1.0f), sn = t * c;
    p -= t * off;
    q += t * off;
    off = 0.0f;
    const float u = r;
    r = c * u - sn * s;
    s = sn * u + c * s;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        const float z = v[k];
        v[k] = c * z - sn * w[k];
        w[k] = sn * z + c * w[k];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
eigen3x3_batch(const float* __restrict__ matrices, float* __restrict__ results)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    float xx = matrices[AT(0)], yy = matrices[AT(1)], zz = matrices[AT(2)];
    float xy = matrices[AT(3)], xz = matrices[AT(4)], yz = matrices[AT(5)];
    float v[3];
#if SWEEPS
    v[0] = 1.0f;
    v[1] = v[2] = 0.0f;
    float w[3] = {0.0f, 1.0f, 0.0f}, u[3] = {0.0f, 0.0f, 1.0f};
#pragma unroll 1
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        turn(xx, yy, xy, xz, yz, v, w);
        turn(xx, zz, xz, xy, yz, v, u);
        turn(yy, zz, yz, xy, xz, w, u);
    }
#else
    const float mean = (xx + yy + zz) / 3.0f;
    const float a = xx - mean, b = yy - mean, c = zz - mean;
    const float p = sqrtf((a * a + b * b + c * c + 2.0f * (xy * xy + xz * xz + yz * yz)) / 6.0f + 1e-20f);
    const float det = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz);
    const float angle = acosf(fminf(fmaxf(0.5f * det / (p * p * p), -1.0f), 1.0f)) / 3.0f;
    const float most = mean + 2.0f * p * cosf(angle), least = mean + 2.0f * p * cosf(angle + 2.0943951f);
    const float d = xx - most, e = yy - most;
    v[0] = xy * yz - xz * e;
    v[1] = xz * xy - d * yz;
    v[2] = d * e - xy * xy;
    const float scale = rsqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + 1e-20f);
#pragma unroll
    for (int k = 0; k < 3; ++k) v[k] *= scale;
    xx = most;
    yy = 3.0f * mean - most - least;
    zz = least;
#endif
    results[AT(0)] = xx;
    results[AT(1)] = yy;
    results[AT(2)] = zz;
    results[AT(3)] = v[0];
    results[AT(4)] = v[1];
    results[AT(5)] = v[2];
}
