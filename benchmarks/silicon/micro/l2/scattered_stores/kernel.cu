// What lone sectors cost that are written, by where they lie: RUN lanes in a row write words in a row, and each run begins
// a sector of MEGABYTES MiB. PATTERN: 0: the first sectors of lines in a row; 1: sectors 160 bytes apart; 2: at random;
// 3: as 2, and the second of two stores goes on where the first ended.
__device__ unsigned hash(unsigned x) {
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

extern "C" __global__ void scattered_stores(unsigned* __restrict__ data, int steps) {
    constexpr unsigned sectors = MEGABYTES * 32768;
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
#pragma unroll 4
    for (int s = 0; s < steps; ++s) {
        const unsigned run = (thread + (PATTERN == 3 ? s / 2 : s) * threads) / RUN;
#if PATTERN == 0
        const unsigned sector = run * 4 % sectors;
#elif PATTERN == 1
        const unsigned sector = run * 5 % sectors;
#else
        const unsigned sector = hash(run) % sectors;
#endif
        data[(size_t)sector * 8 + thread % RUN + (PATTERN == 3 ? s % 2 * RUN : 0)] = s;
    }
}
