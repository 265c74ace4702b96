// Split block Bloom filter: a bit in each of the eight words of a block, places by multiplication with odd numbers.
constexpr int PER = 8 / LANES;

struct alignas(PER * 4 > 16 ? 16 : PER * 4) Part { unsigned w[PER]; };

extern "C" __global__ void __launch_bounds__(THREADS)
bloom_block_query(const unsigned* __restrict__ keys, const Part* __restrict__ filter, unsigned char* __restrict__ found)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x, query = thread / LANES, lane = thread % LANES;
    const unsigned key = keys[query];
    const unsigned block = (key ^ key >> 15) * 0x2c1b3c6du >> 32 - LOG_BLOCKS;
    const Part p = filter[block * LANES + lane];
    constexpr unsigned salts[8] = {0x47b6137bu, 0x44974d91u, 0x8824ad5bu, 0xa2b7289du, 0x705495c7u, 0x2df1424bu, 0x9efc4947u, 0x5c6bfb31u};
    bool all = true;
#pragma unroll
    for (int i = 0; i < PER; ++i) {
        unsigned salt = salts[i];
#pragma unroll
        for (int l = 1; l < LANES; ++l)
            if (lane == l) salt = salts[l * PER + i];
        all &= p.w[i] >> (key * salt >> 27) & 1;
    }
    if (LANES > 1) {
        const unsigned votes = __ballot_sync(0xffffffff, all) >> threadIdx.x % 32 / LANES * LANES;
        all = (votes & (1u << LANES) - 1) == (1u << LANES) - 1;
    }
    if (lane == 0) found[query] = all;
}
