// Each block finds the largest sum of a run within 4,096 numbers less their mean, ITEMS a thread and step.
constexpr int LENGTH = 4096, TILE = THREADS * ITEMS, WARPS = THREADS / 32;

struct Run { float sum, head, tail, best; };

__device__ Run join(const Run& a, const Run& b)
{
    return {a.sum + b.sum, fmaxf(a.head, a.sum + b.head), fmaxf(b.tail, b.sum + a.tail),
            fmaxf(fmaxf(a.best, b.best), a.tail + b.head)};
}

__device__ Run from_right(const Run& r, int d)
{
    return {__shfl_down_sync(0xffffffff, r.sum, d), __shfl_down_sync(0xffffffff, r.head, d),
            __shfl_down_sync(0xffffffff, r.tail, d), __shfl_down_sync(0xffffffff, r.best, d)};
}

extern "C" __global__ void __launch_bounds__(THREADS)
max_subarray_tiles(const float* __restrict__ x, float* __restrict__ best)
{
#if STAGED
    __shared__ float tile[TILE + THREADS];
#endif
    __shared__ Run parts[LENGTH / TILE][WARPS];
    const int t = threadIdx.x;
#pragma unroll 1
    for (int step = 0; step < LENGTH / TILE; ++step) {
        const int base = blockIdx.x * LENGTH + step * TILE;
        float v[ITEMS];
#if STAGED
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int at = i * THREADS + t;
            tile[at + at / ITEMS] = x[base + at];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) v[i] = tile[t * (ITEMS + 1) + i];
#else
#pragma unroll
        for (int i = 0; i < ITEMS; i += 4) *(float4*)&v[i] = *(const float4*)(x + base + t * ITEMS + i);
#endif
        Run r = {v[0] - 0.5f, v[0] - 0.5f, v[0] - 0.5f, v[0] - 0.5f};
#pragma unroll
        for (int i = 1; i < ITEMS; ++i) {
            const float u = v[i] - 0.5f;
            r.sum += u;
            r.head = fmaxf(r.head, r.sum);
            r.tail = fmaxf(u, r.tail + u);
            r.best = fmaxf(r.best, r.tail);
        }
#pragma unroll
        for (int d = 1; d < 32; d *= 2) r = join(r, from_right(r, d));
        if (t % 32 == 0) parts[step][t / 32] = r;
    }
    __syncthreads();
    if (t == 0) {
        Run r = parts[0][0];
        for (int i = 1; i < LENGTH / TILE * WARPS; ++i) r = join(r, parts[i / WARPS][i % WARPS]);
        best[blockIdx.x] = r.best;
    }
}
