// Walks through a table: the entry read decides the next one, by a linear congruence of full period.
// PATHS independent walks a thread, each lane its own; tables for L2, beyond it and far beyond it.
extern "C" __global__ void linked_walk(const unsigned* __restrict__ table, unsigned* __restrict__ output, int steps) {
    unsigned at[PATHS];
    int thread = blockIdx.x * BLOCK_SIZE + threadIdx.x;
#pragma unroll
    for (int p = 0; p < PATHS; ++p) at[p] = (thread * PATHS + p) * 2654435761u % ENTRIES;
    for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int p = 0; p < PATHS; ++p) at[p] = (table[at[p]] * 1664525u + 1013904223u) % ENTRIES;
#pragma unroll
    for (int p = 0; p < PATHS; ++p) output[thread * PATHS + p] = at[p];
}
