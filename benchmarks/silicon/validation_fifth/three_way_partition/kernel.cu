// Stable three-way partition of a tile through shared memory; counts of the first two classes are packed in a word.
constexpr int WARPS = THREADS / 32, TILE = THREADS * ITEMS;

extern "C" __global__ void __launch_bounds__(THREADS)
three_way_partition(const float* __restrict__ x, float* __restrict__ out, int* __restrict__ counts, float low, float high)
{
    __shared__ float tile[TILE];
    __shared__ unsigned sums[WARPS];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, base = blockIdx.x * TILE;
    // With ballots a warp's elements are strided by 32; for the scan, a thread has a run of them.
    const int start = BALLOTS ? warp * 32 * ITEMS + lane : t * ITEMS, step = BALLOTS ? 32 : 1;
    float v[ITEMS];
    unsigned before[ITEMS], running = 0;
    if (!BALLOTS) {
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) tile[i * THREADS + t] = x[base + i * THREADS + t];
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) v[i] = BALLOTS ? x[base + start + i * step] : tile[start + i];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        if (BALLOTS) {
            const unsigned a = __ballot_sync(0xffffffff, v[i] < low), b = __ballot_sync(0xffffffff, v[i] >= low && v[i] < high);
            const unsigned mask = (1u << lane) - 1;
            before[i] = running + (__popc(a & mask) | __popc(b & mask) << 16);
            running += __popc(a) | __popc(b) << 16;
        } else {
            before[i] = running;
            running += v[i] < low ? 1u : v[i] < high ? 65536u : 0u;
        }
    }
    unsigned offset = 0;
    if (!BALLOTS) {
        const unsigned own = running;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const unsigned other = __shfl_up_sync(0xffffffff, running, d);
            if (lane >= d) running += other;
        }
        offset = running - own;
    }
    if (lane == 31) sums[warp] = running;
    __syncthreads();
    unsigned total = 0;
#pragma unroll
    for (int w = 0; w < WARPS; ++w) {
        if (w < warp) offset += sums[w];
        total += sums[w];
    }
    const int small = total & 0xffff, middle = total >> 16;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const unsigned place = before[i] + offset;
        const int a = place & 0xffff, b = place >> 16, index = start + i * step;
        tile[v[i] < low ? a : v[i] < high ? small + b : small + middle + index - a - b] = v[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) out[base + i * THREADS + t] = tile[i * THREADS + t];
    if (t == 0) {
        counts[blockIdx.x * 2] = small;
        counts[blockIdx.x * 2 + 1] = middle;
    }
}
