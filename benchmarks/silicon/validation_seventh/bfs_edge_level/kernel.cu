// One level over a list of edges: vertices of a later level next to one of the level at hand are marked.
struct alignas(VEC * 4) Pack { int v[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
bfs_edge_level(const Pack* __restrict__ from, const Pack* __restrict__ to, const int* __restrict__ levels,
               int* __restrict__ marks, int* __restrict__ changed, int level)
{
    const int first = blockIdx.x * 256 * EACH + threadIdx.x;
    bool any = false;
    Pack a[EACH], b[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        a[e] = from[first + e * 256];
        b[e] = to[first + e * 256];
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e)
#pragma unroll
        for (int j = 0; j < VEC; ++j)
            if (levels[a[e].v[j]] == level && levels[b[e].v[j]] > level) {
#if ATOMIC
                atomicMax(marks + b[e].v[j], level + 1);
#else
                marks[b[e].v[j]] = level + 1;
#endif
                any = true;
            }
    if (__syncthreads_or(any) && threadIdx.x == 0) *changed = 1;
}
