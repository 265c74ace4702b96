// A step of Burgers' equations on a periodic square of 2,048, upwind; a thread makes ROWS rows of a column.
constexpr int N = 2048, BY = 4;

extern "C" __global__ void __launch_bounds__(BLOCK_X * BY)
burgers2d_upwind(const float* __restrict__ u, const float* __restrict__ v, float* __restrict__ un, float* __restrict__ vn,
                 float a, float nu)
{
    const int x0 = blockIdx.x * BLOCK_X, y0 = blockIdx.y * BY * ROWS;
#if IN_SHARED
    constexpr int W = BLOCK_X + 2, H = BY * ROWS + 2;
    __shared__ float us[H][W], vs[H][W];
    for (int i = threadIdx.x; i < W * H; i += BLOCK_X * BY) {
        const int r = i / W, c = i % W, at = (y0 + r - 1 & N - 1) * N + (x0 + c - 1 & N - 1);
        us[r][c] = u[at];
        vs[r][c] = v[at];
    }
    __syncthreads();
#endif
    const int tx = threadIdx.x % BLOCK_X, ty = threadIdx.x / BLOCK_X, x = x0 + tx;
#pragma unroll
    for (int k = 0; k < ROWS; ++k) {
        const int r = ty + k * BY, y = y0 + r;
#if IN_SHARED
#define U(dy, dx) us[r + 1 + dy][tx + 1 + dx]
#define V(dy, dx) vs[r + 1 + dy][tx + 1 + dx]
#else
#define U(dy, dx) u[(y + dy & N - 1) * N + (x + dx & N - 1)]
#define V(dy, dx) v[(y + dy & N - 1) * N + (x + dx & N - 1)]
#endif
        const float uc = U(0, 0), vc = V(0, 0);
        const float ul = U(0, -1), ur = U(0, 1), ub = U(-1, 0), ut = U(1, 0);
        const float vl = V(0, -1), vr = V(0, 1), vb = V(-1, 0), vt = V(1, 0);
        const float ux = uc > 0.5f ? uc - ul : ur - uc, uy = vc > 0.5f ? uc - ub : ut - uc;
        const float vx = uc > 0.5f ? vc - vl : vr - vc, vy = vc > 0.5f ? vc - vb : vt - vc;
        un[y * N + x] = uc - a * (uc * ux + vc * uy) + nu * (ul + ur + ub + ut - 4.0f * uc);
        vn[y * N + x] = vc - a * (uc * vx + vc * vy) + nu * (vl + vr + vb + vt - 4.0f * vc);
    }
}
