// Longest common subsequence of pairs of strings of 128 or 512 letters: a warp or a block goes along antidiagonals, PER rows a thread.
constexpr int LANES = LENGTH / PER;

extern "C" __global__ void __launch_bounds__(LANES * PAIRS < 32 ? 32 : LANES * PAIRS)
lcs_antidiagonal_lanes(const unsigned char* __restrict__ first, const unsigned char* __restrict__ second, int* __restrict__ out)
{
    __shared__ unsigned char text[PAIRS][LENGTH];
    __shared__ int edge[PAIRS][2][LANES];
    const int pair = blockIdx.x * PAIRS + threadIdx.y, t = threadIdx.x;
    for (int i = t; i < LENGTH; i += LANES) text[threadIdx.y][i] = second[(size_t)pair * LENGTH + i];
    int a[PER], row[PER] = {}, corner = 0;
#pragma unroll
    for (int i = 0; i < PER; ++i) a[i] = first[(size_t)pair * LENGTH + t * PER + i];
    __syncthreads();
#pragma unroll 1
    for (int step = 0; step < LENGTH + LANES - 1; ++step) {
        const int column = step - t;
        const int above = t ? edge[threadIdx.y][(step + 1) % 2][t - 1] : 0;
        if (column >= 0 && column < LENGTH) {
            const int b = text[threadIdx.y][column];
            int up = above, diagonal = corner;
#pragma unroll
            for (int i = 0; i < PER; ++i) {
                const int here = a[i] == b ? diagonal + 1 : max(up, row[i]);
                diagonal = row[i];
                row[i] = here;
                up = here;
            }
            corner = above;
            edge[threadIdx.y][step % 2][t] = up;
        }
        if (LANES * PAIRS > 32) __syncthreads();
        else __syncwarp();
    }
    if (t == LANES - 1) out[pair] = row[PER - 1];
}
