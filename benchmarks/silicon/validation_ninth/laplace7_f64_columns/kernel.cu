// 256 x 256 x 128 results; the padded volume has 130 layers of 258 rows of 264 numbers.
constexpr int PITCH = 264, AREA = PITCH * 258, THREADS = BLOCK_X * BLOCK_Y, LD = BLOCK_X + 2;

extern "C" __global__ void __launch_bounds__(THREADS)
laplace7_f64_columns(const double* __restrict__ x, double* __restrict__ y)
{
    __shared__ double plane[STAGED ? 2 : 1][STAGED ? (BLOCK_Y + 2) * LD : 1];
    const int c0 = blockIdx.x * BLOCK_X, r0 = blockIdx.y * BLOCK_Y, z0 = blockIdx.z * LAYERS;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const double* p = x + z0 * AREA + (r0 + ty + 1) * PITCH + c0 + tx + 1;
    double below = p[0], now = p[AREA];
#pragma unroll 1
    for (int z = 0; z < LAYERS; ++z) {
        const double above = p[(z + 2) * AREA];
        double sides;
        if (STAGED) {
            double* s = plane[z % 2];
            for (int i = ty * BLOCK_X + tx; i < (BLOCK_Y + 2) * LD; i += THREADS)
                s[i] = x[(z0 + z + 1) * AREA + (r0 + i / LD) * PITCH + c0 + i % LD];
            __syncthreads();
            const double* q = s + (ty + 1) * LD + tx + 1;
            sides = q[-1] + q[1] + q[-LD] + q[LD];
        } else {
            const double* q = p + (z + 1) * AREA;
            sides = q[-1] + q[1] + q[-PITCH] + q[PITCH];
        }
        y[(z0 + z) * 65536 + (r0 + ty) * 256 + c0 + tx] = 0.4 * now + 0.1 * (sides + below + above);
        below = now;
        now = above;
    }
}
