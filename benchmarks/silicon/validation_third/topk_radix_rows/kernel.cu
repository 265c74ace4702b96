// The 64 largest of a row, a block a row: the bits of the 64th are found BITS at a time by histograms in shared memory,
// then all above it are written, then as many equal ones as are missing.
constexpr int BINS = 1 << BITS, K = 64;

extern "C" __global__ void __launch_bounds__(THREADS)
topk_radix_rows(const float* __restrict__ x, float* __restrict__ values, int* __restrict__ indices, int columns)
{
    __shared__ int counts[BINS];
    __shared__ int digit, missing, place, equal;
    const float* row = x + (size_t)blockIdx.x * columns;
    unsigned prefix = 0;
    int wanted = K;
    for (int shift = 32 - BITS; shift >= 0; shift -= BITS) {
        for (int i = threadIdx.x; i < BINS; i += THREADS) counts[i] = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < columns; i += THREADS) {
            const unsigned u = __float_as_uint(row[i]);   // none is negative
            if (shift == 32 - BITS || (u >> (shift + BITS)) == prefix) atomicAdd(&counts[(u >> shift) & (BINS - 1)], 1);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            int left = wanted, d = BINS - 1;
            while (d > 0 && counts[d] < left) left -= counts[d--];
            digit = d;
            missing = left;
        }
        __syncthreads();
        prefix = prefix << BITS | digit;
        wanted = missing;
    }
    if (threadIdx.x == 0) {
        place = 0;
        equal = 0;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < columns; i += THREADS) {
        const float v = row[i];
        const unsigned u = __float_as_uint(v);
        int to = -1;
        if (u > prefix) to = atomicAdd(&place, 1);
        else if (u == prefix) {
            const int e = atomicAdd(&equal, 1);
            if (e < wanted) to = K - wanted + e;
        }
        if (to >= 0) {
            values[blockIdx.x * K + to] = v;
            indices[blockIdx.x * K + to] = i;
        }
    }
}
