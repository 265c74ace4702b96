// A round of Bellman and Ford's shortest paths: LANES lanes go through a vertex's edges and lower the distances of
// the targets by atomic minima, if the present distance is larger. Vertex v's edges begin at v MEAN + hash(v) % MEAN.
__device__ __forceinline__ int edges_of(unsigned v) { return v * MEAN + ((v * 0xC2B2AE35u) >> 12) % MEAN; }

extern "C" __global__ void sssp_relax(const int* __restrict__ targets, const int* __restrict__ lengths,
                                      const int* __restrict__ distance, int* __restrict__ next, int vertices)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x, v = thread / LANES;
    if (v >= vertices) return;
    const int mine = distance[v], end = edges_of(v + 1);
    for (int e = edges_of(v) + thread % LANES; e < end; e += LANES) {
        const int to = targets[e], reached = mine + lengths[e];
        if (reached < distance[to]) atomicMin(next + to, reached);
    }
}
