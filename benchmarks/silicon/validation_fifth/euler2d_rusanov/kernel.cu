// First-order finite volumes for density, momenta and energy on a periodic grid of 1,024 cells a side.
constexpr int SIDE = 1024, CELLS = SIDE * SIDE;

struct Cell { float r, u, v, e; };

__device__ Cell get(const float* __restrict__ s, int x, int y)
{
    const int at = (y & SIDE - 1) * SIDE + (x & SIDE - 1);
    Cell c;
    if (TOGETHER) {
        const float4 f = ((const float4*)s)[at];
        c = {f.x, f.y, f.z, f.w};
    } else
        c = {s[at], s[CELLS + at], s[2 * CELLS + at], s[3 * CELLS + at]};
    c.r += 1.0f;
    c.e += 3.0f;
    return c;
}

__device__ Cell flux(const Cell& a, const Cell& b)
{
    const float ia = 1.0f / a.r, ib = 1.0f / b.r;
    const float pa = 0.4f * (a.e - 0.5f * (a.u * a.u + a.v * a.v) * ia), pb = 0.4f * (b.e - 0.5f * (b.u * b.u + b.v * b.v) * ib);
    const float ua = a.u * ia, ub = b.u * ib;
    const float speed = 0.5f * fmaxf(fabsf(ua) + sqrtf(1.4f * pa * ia), fabsf(ub) + sqrtf(1.4f * pb * ib));
    Cell f;
    f.r = 0.5f * (a.u + b.u) - speed * (b.r - a.r);
    f.u = 0.5f * (a.u * ua + pa + b.u * ub + pb) - speed * (b.u - a.u);
    f.v = 0.5f * (a.v * ua + b.v * ub) - speed * (b.v - a.v);
    f.e = 0.5f * ((a.e + pa) * ua + (b.e + pb) * ub) - speed * (b.e - a.e);
    return f;
}

__device__ Cell turned(const Cell& c) { return {c.r, c.v, c.u, c.e}; }

extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
euler2d_rusanov(const float* __restrict__ state, float* __restrict__ next)
{
    const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * BLOCK_X + tx, y = blockIdx.y * BLOCK_Y + ty;
#if IN_SHARED
    __shared__ Cell tile[BLOCK_Y + 2][BLOCK_X + 2];
    for (int i = ty * BLOCK_X + tx; i < (BLOCK_X + 2) * (BLOCK_Y + 2); i += BLOCK_X * BLOCK_Y) {
        const int i_x = i % (BLOCK_X + 2), i_y = i / (BLOCK_X + 2);
        tile[i_y][i_x] = get(state, blockIdx.x * BLOCK_X + i_x - 1, blockIdx.y * BLOCK_Y + i_y - 1);
    }
    __syncthreads();
    const Cell c = tile[ty + 1][tx + 1], w = tile[ty + 1][tx], e = tile[ty + 1][tx + 2], s = tile[ty][tx + 1], n = tile[ty + 2][tx + 1];
#else
    const Cell c = get(state, x, y), w = get(state, x - 1, y), e = get(state, x + 1, y), s = get(state, x, y - 1), n = get(state, x, y + 1);
#endif
    const Cell fw = flux(w, c), fe = flux(c, e);
    const Cell fs = turned(flux(turned(s), turned(c))), fn = turned(flux(turned(c), turned(n)));
    constexpr float k = 0.1f;
    const float4 o = make_float4(c.r - k * (fe.r - fw.r + fn.r - fs.r), c.u - k * (fe.u - fw.u + fn.u - fs.u),
                                 c.v - k * (fe.v - fw.v + fn.v - fs.v), c.e - k * (fe.e - fw.e + fn.e - fs.e));
    const int at = y * SIDE + x;
    if (TOGETHER)
        ((float4*)next)[at] = o;
    else {
        next[at] = o.x;
        next[CELLS + at] = o.y;
        next[2 * CELLS + at] = o.z;
        next[3 * CELLS + at] = o.w;
    }
}
