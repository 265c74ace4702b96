// A step of the shallow water equations on a periodic grid by finite volumes, fluxes by Rusanov or HLL, a cell a thread
// with its four neighbours, the four fluxes computed by every cell itself.
struct State { float h, u, v; };   // depth and momenta

__device__ __forceinline__ State flux(State l, State r)   // along the first momentum
{
    const float ul = l.u / l.h, ur = r.u / r.h, cl = sqrtf(9.81f * l.h), cr = sqrtf(9.81f * r.h);
    const State fl = {l.u, l.u * ul + 4.905f * l.h * l.h, l.v * ul}, fr = {r.u, r.u * ur + 4.905f * r.h * r.h, r.v * ur};
#if HLL
    const float sl = fminf(ul - cl, ur - cr), sr = fmaxf(ul + cl, ur + cr);
    if (sl >= 0.0f) return fl;
    if (sr <= 0.0f) return fr;
    const float i = 1.0f / (sr - sl);
    return {(sr * fl.h - sl * fr.h + sl * sr * (r.h - l.h)) * i, (sr * fl.u - sl * fr.u + sl * sr * (r.u - l.u)) * i,
            (sr * fl.v - sl * fr.v + sl * sr * (r.v - l.v)) * i};
#else
    const float s = 0.5f * fmaxf(fabsf(ul) + cl, fabsf(ur) + cr);
    return {0.5f * (fl.h + fr.h) - s * (r.h - l.h), 0.5f * (fl.u + fr.u) - s * (r.u - l.u),
            0.5f * (fl.v + fr.v) - s * (r.v - l.v)};
#endif
}

extern "C" __global__ void shallow_water_step(const float* __restrict__ h, const float* __restrict__ hu,
                                              const float* __restrict__ hv, float* __restrict__ h2,
                                              float* __restrict__ hu2, float* __restrict__ hv2, int width, int height,
                                              float ratio)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int left = x > 0 ? x - 1 : width - 1, right = x < width - 1 ? x + 1 : 0;
    auto get = [&](int i) { return State{h[i] + 1.0f, hu[i], hv[i]}; };
    auto turned = [&](State s) { return State{s.h, s.v, s.u}; };
    const int y0 = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS_EACH;
#pragma unroll
    for (int k = 0; k < ROWS_EACH; ++k) {
        const int y = y0 + k, up = y > 0 ? y - 1 : height - 1, down = y < height - 1 ? y + 1 : 0, i = y * width + x;
        const State c = get(i);
        const State w = flux(get(y * width + left), c), e = flux(c, get(y * width + right));
        const State n = turned(flux(turned(get(up * width + x)), turned(c)));
        const State s = turned(flux(turned(c), turned(get(down * width + x))));
        h2[i] = c.h - 1.0f - ratio * (e.h - w.h + s.h - n.h);
        hu2[i] = c.u - ratio * (e.u - w.u + s.u - n.u);
        hv2[i] = c.v - ratio * (e.v - w.v + s.v - n.v);
    }
}
