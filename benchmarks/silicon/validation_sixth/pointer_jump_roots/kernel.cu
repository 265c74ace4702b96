// A drawn parent counts if it is lower than the vertex, else half of the vertex is the parent; below 64 are roots.
__device__ int parent(const int* parents, int i)
{
    const int drawn = parents[i];
    return i < 64 ? i : drawn < i ? drawn : i / 2;
}

extern "C" __global__ void __launch_bounds__(128) pointer_jump_roots(const int* __restrict__ parents, int* __restrict__ roots)
{
    const int first = blockIdx.x * 128 * EACH + threadIdx.x;
#if SIDE_BY_SIDE
    int at[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) at[e] = first + e * 128;
    bool moved = true;
    while (moved) {
        moved = false;
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const int next = parent(parents, at[e]);
            moved |= next != at[e];
            at[e] = next;
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) roots[first + e * 128] = at[e];
#else
#pragma unroll 1
    for (int e = 0; e < EACH; ++e) {
        int at = first + e * 128, next = parent(parents, at);
        while (next != at) {
            at = next;
            next = parent(parents, at);
        }
        roots[first + e * 128] = at;
    }
#endif
}
