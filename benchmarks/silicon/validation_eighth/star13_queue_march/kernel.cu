// 256 x 192 x 96 points with two more on every side; two neighbours in each direction.
constexpr int PX = 260, PY = 196, PLANE = PX * PY;

extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
star13_queue_march(const float* __restrict__ x, float* __restrict__ y)
{
    __shared__ float s[BLOCK_Y + 4][BLOCK_X + 4];
    const int tx = threadIdx.x, ty = threadIdx.y, ix = blockIdx.x * BLOCK_X + tx, iy = blockIdx.y * BLOCK_Y + ty;
    const int z0 = blockIdx.z * CHUNK;
    const float* corner = x + z0 * PLANE + blockIdx.y * BLOCK_Y * PX + blockIdx.x * BLOCK_X;
    const float* from = x + z0 * PLANE + (iy + 2) * PX + ix + 2;
    float a = from[0], b = from[PLANE], c = from[2 * PLANE], d = from[3 * PLANE];
#pragma unroll 2
    for (int k = 0; k < CHUNK; ++k) {
        const float e = from[(k + 4) * PLANE];
        float near, far;
        if (IN_SHARED) {
            __syncthreads();
            for (int i = ty * BLOCK_X + tx; i < (BLOCK_Y + 4) * (BLOCK_X + 4); i += BLOCK_X * BLOCK_Y)
                s[i / (BLOCK_X + 4)][i % (BLOCK_X + 4)] = corner[(k + 2) * PLANE + i / (BLOCK_X + 4) * PX + i % (BLOCK_X + 4)];
            __syncthreads();
            near = s[ty + 2][tx + 1] + s[ty + 2][tx + 3] + s[ty + 1][tx + 2] + s[ty + 3][tx + 2];
            far = s[ty + 2][tx] + s[ty + 2][tx + 4] + s[ty][tx + 2] + s[ty + 4][tx + 2];
        } else {
            const float* m = from + (k + 2) * PLANE;
            near = m[-1] + m[1] + m[-PX] + m[PX];
            far = m[-2] + m[2] + m[-2 * PX] + m[2 * PX];
        }
        y[((z0 + k) * 192 + iy) * 256 + ix] = 0.4f * c + 0.08f * (near + b + d) + 0.02f * (far + a + e);
        a = b;
        b = c;
        c = d;
        d = e;
    }
}
