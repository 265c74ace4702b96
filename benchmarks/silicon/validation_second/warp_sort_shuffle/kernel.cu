// Each warp sorts 32 ITEMS keys. Element index = item * 32 + lane: partners less than 32 apart meet by shuffles, the
// others in the thread's own registers.
extern "C" __global__ void warp_sort_shuffle(const unsigned* __restrict__ keys, unsigned* __restrict__ sorted)
{
    const int lane = threadIdx.x & 31;
    const int base = (blockIdx.x * THREADS + (threadIdx.x & ~31)) * ITEMS;
    unsigned k[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) k[i] = keys[base + i * 32 + lane];

#pragma unroll
    for (int size = 2; size <= 32 * ITEMS; size *= 2) {
#pragma unroll
        for (int stride = size / 2; stride > 0; stride /= 2) {
            if (stride >= 32) {
#pragma unroll
                for (int i = 0; i < ITEMS; ++i) {
                    const int j = i ^ (stride / 32);
                    if (j > i) {
                        const bool up = ((i * 32) & size) == 0;
                        const unsigned low = min(k[i], k[j]), high = max(k[i], k[j]);
                        k[i] = up ? low : high;
                        k[j] = up ? high : low;
                    }
                }
            } else {
#pragma unroll
                for (int i = 0; i < ITEMS; ++i) {
                    const unsigned other = __shfl_xor_sync(0xffffffffu, k[i], stride);
                    const bool up = ((i * 32 + lane) & size) == 0, lower = (lane & stride) == 0;
                    k[i] = up == lower ? min(k[i], other) : max(k[i], other);
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) sorted[base + i * 32 + lane] = k[i];
}
