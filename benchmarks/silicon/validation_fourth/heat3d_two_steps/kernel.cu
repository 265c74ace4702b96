// Heat equation in 3-D by a stencil of seven points, one or two time steps a launch. Blocks march along z; planes of
// both times pass through shared memory, the cells below and above stay in registers.
constexpr int N = 192, OUT_X = BLOCK_X - 2 * STEPS, OUT_Y = BLOCK_Y - 2 * STEPS;

extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
heat3d_two_steps(const float* __restrict__ in, float* __restrict__ out, float k)
{
    __shared__ float now[BLOCK_Y][BLOCK_X], next[BLOCK_Y][BLOCK_X];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * OUT_X + tx - STEPS, y = blockIdx.y * OUT_Y + ty - STEPS, z0 = blockIdx.z * CHUNK;
    const int at = min(max(y, 0), N - 1) * N + min(max(x, 0), N - 1);
    const bool inside = x > 0 && x < N - 1 && y > 0 && y < N - 1;
    const bool edge = tx == 0 || tx == BLOCK_X - 1 || ty == 0 || ty == BLOCK_Y - 1;
    const bool writes = tx >= STEPS && tx < BLOCK_X - STEPS && ty >= STEPS && ty < BLOCK_Y - STEPS && x < N && y < N;
    const int z_begin = z0 - STEPS + 1, z_end = min(z0 + CHUNK, N) + STEPS - 1;
    float below = in[max(z_begin - 1, 0) * N * N + at], here = in[max(z_begin, 0) * N * N + at];
    float before = 0.0f, last = 0.0f;
    for (int z = z_begin; z < z_end; ++z) {
        const float above = in[min(z + 1, N - 1) * N * N + at];
        __syncthreads();
        now[ty][tx] = here;
        if (STEPS == 2) next[ty][tx] = last;
        __syncthreads();
        float u = here;
        if (inside && !edge && z > 0 && z < N - 1)
            u += k * (now[ty][tx - 1] + now[ty][tx + 1] + now[ty - 1][tx] + now[ty + 1][tx] + below + above - 6.0f * here);
        if (STEPS == 1) {
            if (writes) out[z * N * N + y * N + x] = u;
        } else {
            if (writes && z - 1 >= z0) {
                float w = last;
                if (inside && z - 1 > 0 && z - 1 < N - 1)
                    w += k * (next[ty][tx - 1] + next[ty][tx + 1] + next[ty - 1][tx] + next[ty + 1][tx] + before + u -
                              6.0f * last);
                out[(z - 1) * N * N + y * N + x] = w;
            }
            before = last;
            last = u;
        }
        below = here;
        here = above;
    }
}
