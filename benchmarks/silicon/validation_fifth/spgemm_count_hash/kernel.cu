// Symbolic phase of a sparse matrix product with DEGREE entries a row; linear probing with compare-and-swap.
constexpr int GROUPS = 128 / LANES;

extern "C" __global__ void __launch_bounds__(128)
spgemm_count_hash(const int* __restrict__ a_columns, const int* __restrict__ b_columns, int* __restrict__ counts)
{
    __shared__ int table[GROUPS][SLOTS];
    const int group = threadIdx.x / LANES, lane = threadIdx.x % LANES, row = blockIdx.x * GROUPS + group;
    int* mine = table[group];
#pragma unroll
    for (int i = lane; i < SLOTS; i += LANES) mine[i] = -1;
    __syncwarp();
    int added = 0;
    for (int i = lane; i < DEGREE * DEGREE; i += LANES) {
        const int middle = a_columns[row * DEGREE + i / DEGREE];
        const int key = b_columns[middle * DEGREE + i % DEGREE];
        unsigned slot = key * 0x9e3779b1u >> 16 & SLOTS - 1;
        for (;;) {
            const int old = atomicCAS(mine + slot, -1, key);
            if (old == -1) ++added;
            if (old == -1 || old == key) break;
            slot = slot + 1 & SLOTS - 1;
        }
    }
    __syncwarp();
#pragma unroll
    for (int d = LANES / 2; d > 0; d >>= 1) added += __shfl_xor_sync(0xffffffff, added, d);
    if (lane == 0) counts[row] = added;
}
