// A step of the Gray-Scott reaction and diffusion of two substances, periodic, Laplacian of five or nine points, from
// memory or through tiles in shared memory.
constexpr int N = 2048;

__device__ __forceinline__ float laplace(float c, float w, float e, float n, float s, float nw, float ne, float sw, float se)
{
#if NINE
    return 0.2f * (w + e + n + s) + 0.05f * (nw + ne + sw + se) - c;
#else
    return 0.25f * (w + e + n + s) - c;
#endif
}

extern "C" __global__ void gray_scott_step(const float* __restrict__ u, const float* __restrict__ v,
                                           float* __restrict__ u_out, float* __restrict__ v_out, float feed, float kill)
{
    const int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * BLOCK_X, y0 = blockIdx.y * BLOCK_Y;
    const int x = x0 + tx, y = y0 + ty, at = y * N + x;
#if IN_SHARED
    __shared__ float su[BLOCK_Y + 2][BLOCK_X + 2], sv[BLOCK_Y + 2][BLOCK_X + 2];
    for (int i = ty * BLOCK_X + tx; i < (BLOCK_Y + 2) * (BLOCK_X + 2); i += BLOCK_X * BLOCK_Y) {
        const int r = i / (BLOCK_X + 2), s = i % (BLOCK_X + 2);
        const int from = ((y0 + r - 1) & (N - 1)) * N + ((x0 + s - 1) & (N - 1));
        su[r][s] = u[from];
        sv[r][s] = v[from];
    }
    __syncthreads();
#define U(dy, dx) su[ty + 1 + (dy)][tx + 1 + (dx)]
#define V(dy, dx) sv[ty + 1 + (dy)][tx + 1 + (dx)]
#else
#define U(dy, dx) u[((y + (dy)) & (N - 1)) * N + ((x + (dx)) & (N - 1))]
#define V(dy, dx) v[((y + (dy)) & (N - 1)) * N + ((x + (dx)) & (N - 1))]
#endif
    const float a = U(0, 0), b = V(0, 0);
    const float la = laplace(a, U(0, -1), U(0, 1), U(-1, 0), U(1, 0), U(-1, -1), U(-1, 1), U(1, -1), U(1, 1));
    const float lb = laplace(b, V(0, -1), V(0, 1), V(-1, 0), V(1, 0), V(-1, -1), V(-1, 1), V(1, -1), V(1, 1));
    const float react = a * b * b;
    u_out[at] = a + 0.8f * la - react + feed * (1.0f - a);
    v_out[at] = b + 0.4f * lb + react - (feed + kill) * b;
}
