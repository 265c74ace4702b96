// Merge path: a block finds where its diagonal crosses the path in memory, brings its stretches of both lists into
// shared memory, and there each thread finds its own diagonal and merges ITEMS numbers. The keys are 2 a and 2 b + 75.
constexpr int N = 2097152, TILE = ITEMS * THREADS;

extern "C" __global__ void merge_path(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ merged)
{
    __shared__ int keys[TILE], bounds[2];
    if (threadIdx.x < 2) {
        const int diagonal = min((int)(blockIdx.x + threadIdx.x) * TILE, 2 * N);
        int low = max(0, diagonal - N), high = min(diagonal, N);
        while (low < high) {
            const int mid = (low + high) >> 1;
            if (2 * a[mid] <= 2 * b[diagonal - 1 - mid] + 75) low = mid + 1;
            else high = mid;
        }
        bounds[threadIdx.x] = low;
    }
    __syncthreads();
    const int first = blockIdx.x * TILE, count = min(TILE, 2 * N - first);
    const int a0 = bounds[0], na = bounds[1] - a0, b0 = first - a0, nb = count - na;
    for (int i = threadIdx.x; i < count; i += THREADS)
        keys[i] = i < na ? 2 * a[a0 + i] : 2 * b[b0 + i - na] + 75;
    __syncthreads();

    const int diagonal = min((int)threadIdx.x * ITEMS, count);
    int low = max(0, diagonal - nb), high = min(diagonal, na);
    while (low < high) {
        const int mid = (low + high) >> 1;
        if (keys[mid] <= keys[na + diagonal - 1 - mid]) low = mid + 1;
        else high = mid;
    }
    int ia = low, ib = diagonal - low, result[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        const bool from_a = ib >= nb || (ia < na && keys[ia] <= keys[na + ib]);
        if (ia + ib < count) {
            result[k] = from_a ? keys[ia] : keys[na + ib];
            ia += from_a;
            ib += !from_a;
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        if (diagonal + k < count) keys[diagonal + k] = result[k];
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += THREADS) merged[first + i] = keys[i];
}
