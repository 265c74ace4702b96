// Every warp reads a line out of L2 and waits for it before it reads the next one; a block an SM, LINES warps a block.
// SHARED 1: all blocks read the same lines at the same time, 0: each its own.
extern "C" __global__ void hot_reads(const int* input, int* out, int steps) {
    const int warp = threadIdx.x / 32;
    const int* mine = input + (SHARED ? 0 : blockIdx.x * steps * LINES * 32);
    int next = 0;
    for (int step = 0; step < steps; ++step) next = __ldcg(mine + (step * LINES + warp) * 32 + threadIdx.x % 32 + next);
    out[blockIdx.x * blockDim.x + threadIdx.x] = next;
}
