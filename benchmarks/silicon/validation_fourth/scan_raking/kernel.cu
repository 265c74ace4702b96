// Inclusive prefix sums of a block's elements and the block's total: thread sums are raked up by one warp in shared
// memory, or scanned by shuffles in two levels.
#if LONGS
typedef unsigned long long T;
#else
typedef unsigned T;
#endif

constexpr int WARPS = THREADS / 32, SEGMENT = THREADS / 32;

struct alignas(sizeof(T) * VEC > 16 ? 16 : sizeof(T) * VEC) Pack { T v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
scan_raking(const Pack* __restrict__ in, Pack* __restrict__ out, T* __restrict__ totals)
{
    const int t = threadIdx.x, at = blockIdx.x * THREADS + t;
    Pack p = in[at];
#pragma unroll
    for (int k = 1; k < VEC; ++k) p.v[k] += p.v[k - 1];
    const T own = p.v[VEC - 1];
    T before;
#if RAKE
    __shared__ T grid[THREADS + THREADS / SEGMENT];
    grid[t + t / SEGMENT] = own;
    __syncthreads();
    if (t < 32) {
        T* mine = grid + t * (SEGMENT + 1);
        T sum = 0;
#pragma unroll
        for (int i = 0; i < SEGMENT; ++i) sum += mine[i];
        T running = sum;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const T other = __shfl_up_sync(0xffffffff, running, d);
            if (t >= d) running += other;
        }
        running -= sum;
#pragma unroll
        for (int i = 0; i < SEGMENT; ++i) {
            const T value = mine[i];
            mine[i] = running;
            running += value;
        }
    }
    __syncthreads();
    before = grid[t + t / SEGMENT];
#else
    __shared__ T sums[WARPS];
    T running = own;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const T other = __shfl_up_sync(0xffffffff, running, d);
        if (t % 32 >= d) running += other;
    }
    if (t % 32 == 31) sums[t / 32] = running;
    __syncthreads();
    before = running - own;
#pragma unroll
    for (int w = 0; w < WARPS; ++w)
        if (w < t / 32) before += sums[w];
#endif
#pragma unroll
    for (int k = 0; k < VEC; ++k) p.v[k] += before;
    out[at] = p;
    if (t == THREADS - 1) totals[blockIdx.x] = p.v[VEC - 1];
}
