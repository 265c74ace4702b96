// Staggered Dirac operator of lattice QCD: eight 3 x 3 complex links by the colour vectors of the neighbours, a site a
// thread. Links are stored by site or by component; with TWO_ROWS the third row is made from the others.
#if DOUBLES
typedef double real;
#else
typedef float real;
#endif

constexpr int L = 16, T = DOUBLES ? 16 : 32, V = L * L * L * T;

struct Complex { real re, im; };

__device__ __forceinline__ void link(const real* __restrict__ u, int mu, int s, Complex (&m)[3][3])
{
#pragma unroll
    for (int i = 0; i < (TWO_ROWS ? 2 : 3); ++i)
#pragma unroll
        for (int j = 0; j < 3; ++j) {
            const int c = (i * 3 + j) * 2;
            if (SOA) {
                m[i][j].re = u[(mu * 18 + c) * V + s];
                m[i][j].im = u[(mu * 18 + c + 1) * V + s];
            } else {
                m[i][j].re = u[(s * 4 + mu) * 18 + c];
                m[i][j].im = u[(s * 4 + mu) * 18 + c + 1];
            }
        }
#if TWO_ROWS
#pragma unroll
    for (int j = 0; j < 3; ++j) {
        const Complex a = m[0][(j + 1) % 3], b = m[1][(j + 2) % 3], c = m[0][(j + 2) % 3], d = m[1][(j + 1) % 3];
        m[2][j].re = a.re * b.re - a.im * b.im - c.re * d.re + c.im * d.im;
        m[2][j].im = -(a.re * b.im + a.im * b.re - c.re * d.im - c.im * d.re);
    }
#endif
}

__device__ __forceinline__ void colour(const real* __restrict__ p, int s, Complex (&v)[3])
{
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        v[i].re = SOA ? p[2 * i * V + s] : p[s * 6 + 2 * i];
        v[i].im = SOA ? p[(2 * i + 1) * V + s] : p[s * 6 + 2 * i + 1];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
su3_dslash(const real* __restrict__ links, const real* __restrict__ in, real* __restrict__ out)
{
    const int s = blockIdx.x * THREADS + threadIdx.x;
    const int x[4] = {s % L, s / L % L, s / (L * L) % L, s / (L * L * L)};
    constexpr int STEP[4] = {1, L, L * L, L * L * L}, LENGTH[4] = {L, L, L, T};
    Complex sum[3] = {};
#pragma unroll
    for (int mu = 0; mu < 4; ++mu) {
        const int ahead = x[mu] == LENGTH[mu] - 1 ? s - (LENGTH[mu] - 1) * STEP[mu] : s + STEP[mu];
        const int behind = x[mu] == 0 ? s + (LENGTH[mu] - 1) * STEP[mu] : s - STEP[mu];
        Complex m[3][3], v[3];
        link(links, mu, s, m);
        colour(in, ahead, v);
#pragma unroll
        for (int i = 0; i < 3; ++i)
#pragma unroll
            for (int j = 0; j < 3; ++j) {
                sum[i].re += m[i][j].re * v[j].re - m[i][j].im * v[j].im;
                sum[i].im += m[i][j].re * v[j].im + m[i][j].im * v[j].re;
            }
        link(links, mu, behind, m);
        colour(in, behind, v);
#pragma unroll
        for (int i = 0; i < 3; ++i)
#pragma unroll
            for (int j = 0; j < 3; ++j) {
                sum[i].re -= m[j][i].re * v[j].re + m[j][i].im * v[j].im;
                sum[i].im -= m[j][i].re * v[j].im - m[j][i].im * v[j].re;
            }
    }
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        out[SOA ? 2 * i * V + s : s * 6 + 2 * i] = sum[i].re;
        out[SOA ? (2 * i + 1) * V + s : s * 6 + 2 * i + 1] = sum[i].im;
    }
}
