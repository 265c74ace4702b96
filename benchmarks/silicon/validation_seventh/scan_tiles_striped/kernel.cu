// Inclusive sums within tiles of THREADS x ITEMS integers and the tiles' totals; STRIPED exchanges through shared memory.
constexpr int TILE = THREADS * ITEMS, WARPS = THREADS / 32;

extern "C" __global__ void __launch_bounds__(THREADS)
scan_tiles_striped(const int* __restrict__ x, int* __restrict__ y, int* __restrict__ totals)
{
    __shared__ int sums[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int base = blockIdx.x * TILE;
    int v[ITEMS];
#if STRIPED
    __shared__ int tile[TILE + TILE / 32];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        const int i = threadIdx.x + k * THREADS;
        tile[i + i / 32] = x[base + i];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        const int i = threadIdx.x * ITEMS + k;
        v[k] = tile[i + i / 32];
    }
#else
#pragma unroll
    for (int k = 0; k < ITEMS; k += 4) {
        const int4 t = *reinterpret_cast<const int4*>(x + base + threadIdx.x * ITEMS + k);
        v[k] = t.x;
        v[k + 1] = t.y;
        v[k + 2] = t.z;
        v[k + 3] = t.w;
    }
#endif
#pragma unroll
    for (int k = 1; k < ITEMS; ++k) v[k] += v[k - 1];
    int s = v[ITEMS - 1];
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const int t = __shfl_up_sync(~0u, s, d);
        if (lane >= d) s += t;
    }
    if (lane == 31) sums[warp] = s;
    __syncthreads();
    int before = s - v[ITEMS - 1];
#pragma unroll
    for (int w = 0; w < WARPS; ++w)
        if (w < warp) before += sums[w];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) v[k] += before;
    if (threadIdx.x == THREADS - 1) totals[blockIdx.x] = v[ITEMS - 1];
#if STRIPED
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        const int i = threadIdx.x * ITEMS + k;
        tile[i + i / 32] = v[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        const int i = threadIdx.x + k * THREADS;
        y[base + i] = tile[i + i / 32];
    }
#else
#pragma unroll
    for (int k = 0; k < ITEMS; k += 4)
        *reinterpret_cast<int4*>(y + base + threadIdx.x * ITEMS + k) = make_int4(v[k], v[k + 1], v[k + 2], v[k + 3]);
#endif
}
