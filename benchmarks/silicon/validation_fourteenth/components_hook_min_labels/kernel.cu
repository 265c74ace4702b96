// Labels of the step before are read, new ones only written.
constexpr int EDGES = 8388608;

extern "C" __global__ void __launch_bounds__(THREADS)
components_hook_min_labels(const int* __restrict__ edges, const int* __restrict__ old, int* __restrict__ labels)
{
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
    int u[EACH], v[EACH], a[EACH], b[EACH];
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const int at = first + i * THREADS;
        if (TOGETHER) {
            const int2 e = reinterpret_cast<const int2*>(edges)[at];
            u[i] = e.x, v[i] = e.y;
        } else {
            u[i] = edges[at];
            v[i] = edges[EDGES + at];
        }
    }
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        a[i] = old[u[i]];
        b[i] = old[v[i]];
    }
#pragma unroll
    for (int i = 0; i < EACH; ++i)
        if (!SKIP || a[i] != b[i]) atomicMin(labels + (a[i] < b[i] ? v[i] : u[i]), min(a[i], b[i]));
}
