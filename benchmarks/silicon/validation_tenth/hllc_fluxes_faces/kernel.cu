// Density, three speeds and pressure of cells; a face is between cell i and cell i + 1. Faces of a thread are 128 apart.
constexpr int N = 2097152, LD = N + 16;

__device__ __forceinline__ float over(float a, float b)
{
    return FAST ? __fdividef(a, b) : a / b;
}

extern "C" __global__ void __launch_bounds__(128)
hllc_fluxes_faces(const float* __restrict__ state, float* __restrict__ flux)
{
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int at = (blockIdx.x * EACH + e) * 128 + threadIdx.x;
        float l[5], r[5], f[5];
#pragma unroll
        for (int c = 0; c < 5; ++c) {
            l[c] = state[PLANES ? c * LD + at : at * 5 + c];
            r[c] = state[PLANES ? c * LD + at + 1 : at * 5 + 5 + c];
        }
        l[0] += 0.1f, l[4] += 0.1f, r[0] += 0.1f, r[4] += 0.1f;
        const float cl = sqrtf(over(1.4f * l[4], l[0])), cr = sqrtf(over(1.4f * r[4], r[0]));
        const float sl = fminf(l[1] - cl, r[1] - cr), sr = fmaxf(l[1] + cl, r[1] + cr);
        const float ml = l[0] * (sl - l[1]), mr = r[0] * (sr - r[1]);
        const float sm = over(r[4] - l[4] + ml * l[1] - mr * r[1], ml - mr);
        const bool left = sm >= 0.0f;
        float w[5];
#pragma unroll
        for (int c = 0; c < 5; ++c) w[c] = left ? l[c] : r[c];
        const float s = left ? sl : sr, energy = w[4] * 2.5f + 0.5f * w[0] * (w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
        const float star = over(w[0] * (s - w[1]), s - sm);
        const bool outside = left ? sl >= 0.0f : sr <= 0.0f;
        const float by = outside ? 0.0f : s;
        f[0] = w[0] * w[1] + by * (star - w[0]);
        f[1] = w[0] * w[1] * w[1] + w[4] + by * (star * sm - w[0] * w[1]);
        f[2] = w[0] * w[1] * w[2] + by * (star - w[0]) * w[2];
        f[3] = w[0] * w[1] * w[3] + by * (star - w[0]) * w[3];
        const float es = star * (over(energy, w[0]) + (sm - w[1]) * (sm + over(w[4], w[0] * (s - w[1]))));
        f[4] = w[1] * (energy + w[4]) + by * (es - energy);
#pragma unroll
        for (int c = 0; c < 5; ++c) flux[PLANES ? c * N + at : at * 5 + c] = f[c];
    }
}
