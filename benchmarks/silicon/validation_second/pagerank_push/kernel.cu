// Push-style page rank: LANES lanes go through the outgoing edges of a vertex. Vertex v's edges begin at
// v MEAN + hash(v) % MEAN.
__device__ __forceinline__ int edges_of(unsigned v) { return v * MEAN + ((v * 0x85EBCA6Bu) >> 13) % MEAN; }

extern "C" __global__ void pagerank_push(const int* __restrict__ targets, const float* __restrict__ rank,
                                         float* __restrict__ next)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x;
    const int v = thread / LANES;
    const int begin = edges_of(v), end = edges_of(v + 1);
    if (begin == end) return;
    const float share = 0.85f * rank[v] / (end - begin);
    for (int e = begin + thread % LANES; e < end; e += LANES) atomicAdd(next + targets[e], share);
}
