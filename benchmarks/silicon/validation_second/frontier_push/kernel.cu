// Top-down step: vertices of the current level mark those of their targets that nobody has visited. All who mark a
// vertex store the same byte.
__device__ __forceinline__ int edges_of(unsigned v) { return v * MEAN + ((v * 0xC2B2AE35u) >> 14) % MEAN; }

extern "C" __global__ void frontier_push(const int* __restrict__ targets, const int* __restrict__ level,
                                         const unsigned char* __restrict__ visited, unsigned char* __restrict__ found)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x;
    const int v = thread / LANES;
    if (level[v] != SPARSITY - 1) return;
    const int end = edges_of(v + 1);
    for (int e = edges_of(v) + thread % LANES; e < end; e += LANES) {
        const int w = targets[e];
        if (!visited[w]) found[w] = 1;
    }
}
