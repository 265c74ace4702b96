// Counts where the pattern begins, a stretch of EACH positions a thread, which reads bytes one by one. The rolling hash
// compares letters only where the hashes agree.
extern "C" __global__ void pattern_scan(const unsigned char* __restrict__ text,
                                        const unsigned char* __restrict__ pattern, int* __restrict__ found)
{
    __shared__ unsigned char wanted[LENGTH];
    __shared__ int total;
    if (threadIdx.x < LENGTH) wanted[threadIdx.x] = pattern[threadIdx.x];
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    const unsigned char* at = text + (blockIdx.x * THREADS + threadIdx.x) * EACH;
    int hits = 0;
#if ROLLING
    unsigned target = 0, hash = 0, power = 1;
    for (int i = 0; i < LENGTH; ++i) {
        target = target * 31 + wanted[i];
        hash = hash * 31 + at[i];
        if (i) power *= 31;
    }
    for (int s = 0; s < EACH; ++s) {
        if (hash == target) {
            int i = 0;
            while (i < LENGTH && at[s + i] == wanted[i]) ++i;
            hits += i == LENGTH;
        }
        hash = (hash - at[s] * power) * 31 + at[s + LENGTH];
    }
#else
    for (int s = 0; s < EACH; ++s) {
        int i = 0;
        while (i < LENGTH && at[s + i] == wanted[i]) ++i;
        hits += i == LENGTH;
    }
#endif
    if (hits) atomicAdd(&total, hits);
    __syncthreads();
    if (threadIdx.x == 0) found[blockIdx.x] = total;
}
