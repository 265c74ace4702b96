// One step of page rank: each vertex sums rank / degree over its incoming edges, LANES lanes a vertex.
// Edges start at v * MEAN + hash(v) % MEAN; their sources are random.
__device__ int start(unsigned v) { return v * MEAN + ((v * 2654435761u) >> 17) % MEAN; }

extern "C" __global__ void pagerank_pull(const int* __restrict__ sources, const float* __restrict__ rank,
                                         const float* __restrict__ degree, float* __restrict__ next) {
    int v = (blockIdx.x * BLOCK_SIZE + threadIdx.x) / LANES, lane = threadIdx.x % LANES, end = start(v + 1);
    float sum = 0.0f;
    for (int e = start(v) + lane; e < end; e += LANES) {
        int u = sources[e];
        sum += __fdividef(rank[u], degree[u] + 1.0f);
    }
#pragma unroll
    for (int o = LANES / 2; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
    if (lane == 0) next[v] = 0.15f / 131072.0f + 0.85f * sum;
}
