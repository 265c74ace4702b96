// Sort of a block's keys by their low BITS bits, a bit a pass: keys with a zero move to the front in order, ranks by a
// scan over the block. ITEMS neighbouring keys a thread.
constexpr int COUNT = THREADS * ITEMS, WARPS = THREADS / 32;

extern "C" __global__ void __launch_bounds__(THREADS)
block_radix_sort(const unsigned* __restrict__ given, unsigned* __restrict__ out)
{
    __shared__ unsigned keys[COUNT];
    __shared__ int sums[WARPS];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const size_t base = (size_t)blockIdx.x * COUNT;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) keys[i * THREADS + t] = given[base + i * THREADS + t];
    __syncthreads();
    for (int bit = 0; bit < BITS; ++bit) {
        unsigned k[ITEMS];
        int zeros = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            k[i] = keys[t * ITEMS + i];
            zeros += ~(k[i] >> bit) & 1;
        }
        int scan = zeros;
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            const int o = __shfl_up_sync(0xffffffff, scan, d);
            if (lane >= d) scan += o;
        }
        if (lane == 31) sums[warp] = scan;
        __syncthreads();
        int before = scan - zeros, all = 0;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            if (w < warp) before += sums[w];
            all += sums[w];
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const bool zero = ((k[i] >> bit) & 1) == 0;
            keys[zero ? before : all + t * ITEMS + i - before] = k[i];
            before += zero;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) out[base + i * THREADS + t] = keys[i * THREADS + t];
}
