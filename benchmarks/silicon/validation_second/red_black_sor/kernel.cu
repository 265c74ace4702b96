// Updates the cells with (x + y) even from their neighbours, which are all of the other colour. PACKED maps
// neighbouring threads to every second cell; otherwise half of the threads have nothing to do.
extern "C" __global__ void red_black_sor(float* u, const float* __restrict__ f, float omega)
{
    const int pitch = 4098;
    const int column = blockIdx.x * BLOCK_X + threadIdx.x;
    const int first = (blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS_EACH;
#pragma unroll
    for (int r = 0; r < ROWS_EACH; ++r) {
        const int y = first + r;
        const int x = PACKED ? 2 * column + (y & 1) : column;
        if (!PACKED && ((x + y) & 1)) continue;
        const int at = (y + 1) * pitch + x + 1;
        const float mean = 0.25f * (u[at - 1] + u[at + 1] + u[at - pitch] + u[at + pitch] - f[at]);
        u[at] += omega * (mean - u[at]);
    }
}
