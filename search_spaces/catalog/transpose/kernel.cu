// transpose: of an n x n matrix of floats, the classic ladder.
//
// 0: a copy, the bound; 1: coalesced reads, scattered writes; 2: scattered reads, coalesced writes; 3: through shared
// memory, where 32 lanes read one bank; 4: the same with a column of padding.

constexpr int COPY = 0, WRITES_SCATTERED = 1, READS_SCATTERED = 2, SHARED = 3;
constexpr int TILE = 32;
constexpr int STEP = BLOCK_SIZE / TILE;

extern "C" __global__ void transpose(const float* __restrict__ input, float* __restrict__ out, int n)
{
    const int lane = threadIdx.x % TILE, first = threadIdx.x / TILE;
    const int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
    if (METHOD >= SHARED) {
        __shared__ float tile[TILE][METHOD == SHARED ? TILE : TILE + 1];
#pragma unroll
        for (int row = first; row < TILE; row += STEP) {
            tile[row][lane] = input[(y + row) * n + x + lane];
        }
        __syncthreads();
#pragma unroll
        for (int row = first; row < TILE; row += STEP) {
            out[(x + row) * n + y + lane] = tile[lane][row];
        }
        return;
    }
#pragma unroll
    for (int row = first; row < TILE; row += STEP) {
        if (METHOD == COPY) {
            out[(y + row) * n + x + lane] = input[(y + row) * n + x + lane];
        } else if (METHOD == WRITES_SCATTERED) {
            out[(x + lane) * n + y + row] = input[(y + row) * n + x + lane];
        } else {
            out[(x + row) * n + y + lane] = input[(y + lane) * n + x + row];
        }
    }
}
