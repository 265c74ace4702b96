// stencil_2d: one step of a star-shaped stencil of a radius, each thread a column of ROWS points.
//
// From global memory, L1 serves the reuse between neighbours; from shared memory, a tile with its halo is loaded once.

constexpr int WIDTH = 32;
constexpr int HEIGHT = BLOCK_SIZE / WIDTH * ROWS;
constexpr int R = RADIUS;

extern "C" __global__ void
stencil_2d(const float* __restrict__ input, float* __restrict__ out, int pitch, float centre, float side)
{
    const int x = threadIdx.x % WIDTH;
    const int y = threadIdx.x / WIDTH * ROWS;
    input += (blockIdx.y * HEIGHT + R) * pitch + blockIdx.x * WIDTH + R;
    out += blockIdx.y * HEIGHT * (pitch - 2 * R) + blockIdx.x * WIDTH;

#if TILED
    __shared__ float tile[HEIGHT + 2 * R][WIDTH + 2 * R];
    constexpr int CELLS = (HEIGHT + 2 * R) * (WIDTH + 2 * R);
    for (int cell = threadIdx.x; cell < CELLS; cell += BLOCK_SIZE) {
        const int row = cell / (WIDTH + 2 * R), column = cell % (WIDTH + 2 * R);
        tile[row][column] = input[(row - R) * pitch + column - R];
    }
    __syncthreads();
    auto at = [&](int row, int column) { return tile[row + R][column + R]; };
#else
    auto at = [&](int row, int column) { return input[row * pitch + column]; };
#endif

#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        float sum = centre * at(y + row, x);
#pragma unroll
        for (int r = 1; r <= R; ++r) {
            sum += side * (at(y + row, x - r) + at(y + row, x + r) + at(y + row - r, x) + at(y + row + r, x));
        }
        out[(y + row) * (pitch - 2 * R) + x] = sum;
    }
}
