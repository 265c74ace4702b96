// Degrees of vertices from both ends of edges, by atomics in global memory or first in a block's shared memory.
struct alignas(VEC * 8) Edges { int end[2 * VEC]; };

extern "C" __global__ void __launch_bounds__(256)
edge_degree_atomics(const Edges* __restrict__ edges, int* __restrict__ degree)
{
    __shared__ int own[PRIVATE ? VERTICES : 1];
    if (PRIVATE) {
        for (int i = threadIdx.x; i < VERTICES; i += 256) own[PRIVATE ? i : 0] = 0;
        __syncthreads();
    }
    const int first = blockIdx.x * 256 * EACH + threadIdx.x;
#pragma unroll 4
    for (int e = 0; e < EACH; ++e) {
        const Edges p = edges[first + e * 256];
#pragma unroll
        for (int i = 0; i < 2 * VEC; ++i) atomicAdd(PRIVATE ? own + (PRIVATE ? p.end[i] : 0) : degree + p.end[i], 1);
    }
    if (PRIVATE) {
        __syncthreads();
        for (int i = threadIdx.x; i < VERTICES; i += 256)
            if (own[PRIVATE ? i : 0]) atomicAdd(degree + i, own[PRIVATE ? i : 0]);
    }
}
