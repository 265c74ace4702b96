// Triangles of a graph: for every edge the common neighbours of its ends, lists in ascending order. A thread merges two
// lists, a thread looks up one list's entries in the other, or DEGREE lanes look up one entry each.
constexpr int VERTICES = 16384, STRIDE = VERTICES / DEGREE;

__device__ __forceinline__ int neighbour(const unsigned short* jitter, int v, int k)
{
    return k * STRIDE + jitter[v * DEGREE + k];
}

__device__ __forceinline__ int holds(const unsigned short* jitter, int v, int wanted)
{
    int low = 0, high = DEGREE;
    while (low < high) {
        const int middle = (low + high) / 2, found = neighbour(jitter, v, middle);
        if (found == wanted) return 1;
        if (found < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

extern "C" __global__ void __launch_bounds__(THREADS)
triangle_count(const unsigned short* __restrict__ jitter, unsigned* __restrict__ total)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x, edge = METHOD == 2 ? thread / DEGREE : thread;
    const int u = edge / DEGREE, v = neighbour(jitter, u, edge % DEGREE);
    int count = 0;
#if METHOD == 0
    if (u < v) {
        int i = 0, j = 0, a = neighbour(jitter, u, 0), b = neighbour(jitter, v, 0);
        while (true) {
            count += a == b;
            const bool step_a = a <= b, step_b = b <= a;
            if (step_a && ++i == DEGREE) break;
            if (step_b && ++j == DEGREE) break;
            if (step_a) a = neighbour(jitter, u, i);
            if (step_b) b = neighbour(jitter, v, j);
        }
    }
#elif METHOD == 1
    if (u < v)
        for (int k = 0; k < DEGREE; ++k) count += holds(jitter, v, neighbour(jitter, u, k));
#else
    if (u < v) count = holds(jitter, v, neighbour(jitter, u, thread % DEGREE));
#endif
    count = __reduce_add_sync(0xffffffff, count);
    if (threadIdx.x % 32 == 0 && count > 0) atomicAdd(total, count);
}
