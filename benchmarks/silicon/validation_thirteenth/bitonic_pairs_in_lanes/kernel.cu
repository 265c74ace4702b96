// Bitonic sort of runs; a lane has LENGTH / LANES neighbours, far ones are compared by shuffles.
constexpr int ITEMS = LENGTH / LANES, THREADS = WARPS * 32;

extern "C" __global__ void __launch_bounds__(THREADS)
bitonic_pairs_in_lanes(const unsigned* __restrict__ keys, const unsigned* __restrict__ values, unsigned* __restrict__ sorted_keys, unsigned* __restrict__ sorted_values)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, lane = id % LANES;
    const size_t base = (size_t)(id / LANES) * LENGTH;
    unsigned k[ITEMS], v[ITEMS];
    unsigned long long w[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        k[i] = keys[base + i * LANES + lane];
        v[i] = values[base + i * LANES + lane];
        w[i] = (unsigned long long)k[i] << 32 | v[i];
    }
#pragma unroll
    for (int size = 2; size <= LENGTH; size <<= 1)
#pragma unroll
        for (int far = size / 2; far; far >>= 1) {
            if (far >= ITEMS) {
                const int d = far / ITEMS;
                const bool low = (lane & d) == 0, up = (lane * ITEMS & size) == 0;
#pragma unroll
                for (int i = 0; i < ITEMS; ++i) {
                    if (PACKED) {
                        const unsigned long long o = __shfl_xor_sync(~0u, w[i], d);
                        if ((w[i] > o) == (low == up)) w[i] = o;
                    } else {
                        const unsigned ok = __shfl_xor_sync(~0u, k[i], d), ov = __shfl_xor_sync(~0u, v[i], d);
                        const bool more = k[i] > ok || (k[i] == ok && v[i] > ov);
                        if (more == (low == up)) k[i] = ok, v[i] = ov;
                    }
                }
            } else {
#pragma unroll
                for (int i = 0; i < ITEMS; ++i)
                    if ((i & far) == 0) {
                        const bool up = ((lane * ITEMS + i) & size) == 0;
                        const int j = i | far;
                        if (PACKED) {
                            if ((w[i] > w[j]) == up) {
                                const unsigned long long o = w[i];
                                w[i] = w[j];
                                w[j] = o;
                            }
                        } else {
                            const bool more = k[i] > k[j] || (k[i] == k[j] && v[i] > v[j]);
                            if (more == up) {
                                const unsigned ok = k[i], ov = v[i];
                                k[i] = k[j], v[i] = v[j];
                                k[j] = ok, v[j] = ov;
                            }
                        }
                    }
            }
        }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        sorted_keys[base + lane * ITEMS + i] = PACKED ? (unsigned)(w[i] >> 32) : k[i];
        sorted_values[base + lane * ITEMS + i] = PACKED ? (unsigned)w[i] : v[i];
    }
}
