// Pull step of a breadth-first search: an unvisited vertex takes the first parent that is in the frontier.
// The frontier is a level of an array of integers, or a bit in a bitmap.
__device__ int start(unsigned v) { return v * MEAN + ((v * 2654435761u) >> 14) % MEAN; }

extern "C" __global__ void bfs_pull(const int* __restrict__ sources, const int* __restrict__ level,
                                    const unsigned* __restrict__ frontier, int* __restrict__ next) {
    int v = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (level[v] <= 3) return;
    int end = start(v + 1), parent = -1;
    for (int e = start(v); e < end; ++e) {
        int u = sources[e];
        bool in = BITMAP ? frontier[u >> 5] >> (u & 31) & frontier[(u >> 5) ^ 1] >> (u & 31) & 1 : level[u] == 3;
        if (in) {
            parent = u;
            break;
        }
    }
    next[v] = parent;
}
