// Neighbour i of a vertex is one of eight from 8 i on, so lists ascend.
__device__ int vertex(int stored)
{
    return stored % DEGREE * 8 + ((unsigned)stored * 2654435761u >> 29);
}

extern "C" __global__ void __launch_bounds__(128)
jaccard_edges(const int* __restrict__ neighbours, const int* __restrict__ from, const int* __restrict__ to,
              float* __restrict__ result)
{
    const int thread = blockIdx.x * 128 + threadIdx.x, edge = thread / LANES;
    const int *a = neighbours + from[edge] * DEGREE, *b = neighbours + to[edge] * DEGREE;
    int common = 0;
#if LANES == 1
    int i = 0, j = 0;
    int u = vertex(a[0]), v = vertex(b[0]);
    while (true) {
        common += u == v;
        const bool left = u <= v, right = v <= u;
        if (left) {
            if (++i == DEGREE) break;
            u = vertex(a[i]);
        }
        if (right) {
            if (++j == DEGREE) break;
            v = vertex(b[j]);
        }
    }
#else
    const int lane = thread % LANES;
    for (int i = lane; i < DEGREE; i += LANES) {
        const int u = vertex(a[i]);
        int low = 0;
#pragma unroll
        for (int step = DEGREE / 2; step > 0; step /= 2)
            if (vertex(b[low + step]) <= u) low += step;
        common += vertex(b[low]) == u;
    }
#pragma unroll
    for (int d = LANES / 2; d > 0; d /= 2) common += __shfl_xor_sync(0xffffffff, common, d);
    if (lane == 0)
#endif
        result[edge] = common / (2.0f * DEGREE - common);
}
