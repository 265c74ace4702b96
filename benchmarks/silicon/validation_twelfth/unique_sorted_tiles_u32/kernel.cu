// Sorted words without repetitions, tile by tile; places by ballots of warps or by a scan of threads' counts.
constexpr int SPAN = THREADS * ITEMS, WARPS = THREADS / 32;

extern "C" __global__ void __launch_bounds__(THREADS)
unique_sorted_tiles_u32(const unsigned* __restrict__ in, unsigned* __restrict__ out, int* __restrict__ count)
{
    __shared__ int sums[BALLOTS ? WARPS * ITEMS : WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t base = (size_t)blockIdx.x * SPAN;
    unsigned v[ITEMS];
    bool keep[ITEMS];
    int place[ITEMS], total = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const size_t e = base + (BALLOTS ? i * THREADS + threadIdx.x : threadIdx.x * ITEMS + i);
        v[i] = in[e];
        keep[i] = e == 0 || (BALLOTS || i == 0 ? in[e - 1] : v[i ? i - 1 : 0]) != v[i];
    }
    if (BALLOTS) {
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const unsigned lanes = __ballot_sync(~0u, keep[i]);
            place[i] = __popc(lanes & (1u << lane) - 1);
            if (lane == 0) sums[BALLOTS ? i * WARPS + warp : 0] = __popc(lanes);
        }
        __syncthreads();
        if (warp == 0) {
            for (int first = 0; first < WARPS * ITEMS; first += 32) {
                const int own = first + lane < WARPS * ITEMS ? sums[BALLOTS ? first + lane : 0] : 0;
                int run = own;
#pragma unroll
                for (int d = 1; d < 32; d <<= 1) {
                    const int other = __shfl_up_sync(~0u, run, d);
                    if (lane >= d) run += other;
                }
                if (first + lane < WARPS * ITEMS) sums[BALLOTS ? first + lane : 0] = total + run - own;
                total += __shfl_sync(~0u, run, 31);
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) place[i] += sums[BALLOTS ? i * WARPS + warp : 0];
    } else {
        int own = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            place[i] = own;
            own += keep[i];
        }
        int run = own;
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            const int other = __shfl_up_sync(~0u, run, d);
            if (lane >= d) run += other;
        }
        if (lane == 31) sums[warp] = run;
        __syncthreads();
        int before = run - own;
#pragma unroll
        for (int i = 0; i < WARPS; ++i) {
            before += i < warp ? sums[i] : 0;
            total += sums[i];
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) place[i] += before;
    }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
        if (keep[i]) out[base + place[i]] = v[i];
    if (threadIdx.x == 0) count[blockIdx.x] = total;
}
