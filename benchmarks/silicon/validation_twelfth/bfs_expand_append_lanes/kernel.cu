// A level of a breadth-first search: LANES lanes have a vertex of the frontier, new vertices are appended one by one or by warps.
constexpr int VERTICES = 1048576, QUEUE = 4194304;

extern "C" __global__ void __launch_bounds__(THREADS)
bfs_expand_append_lanes(const int* __restrict__ frontier, const int* __restrict__ offset, const int* __restrict__ neighbour, const unsigned* __restrict__ seen,
                        int* __restrict__ parent, int* __restrict__ queue, unsigned* __restrict__ tail)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, vertex = frontier[id / LANES], lane = threadIdx.x % 32;
    int k = offset[vertex] + id % LANES;
    const int end = offset[vertex + 1];
    while (__any_sync(~0u, k < end)) {
        const int other = k < end ? neighbour[k] : 0;
        const bool fresh = k < end && !(seen[other / 32] >> other % 32 & 1);
        if (fresh) parent[other] = vertex;
        if (BY_WARP) {
            const unsigned lanes = __ballot_sync(~0u, fresh);
            if (lanes) {
                unsigned at = 0;
                if (lane == 0) at = atomicAdd(tail, __popc(lanes));
                at = __shfl_sync(~0u, at, 0) + __popc(lanes & (1u << lane) - 1);
                if (fresh) queue[at % QUEUE] = other;
            }
        } else if (fresh) {
            queue[atomicAdd(tail, 1u) % QUEUE] = other;
        }
        k += LANES;
    }
}
