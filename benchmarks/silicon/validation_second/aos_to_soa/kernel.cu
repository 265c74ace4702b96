// Array of structures to structure of arrays. A thread reads its record field by field, or the block reads
// its records as they lie in memory and takes the fields from shared memory.
extern "C" __global__ void aos_to_soa(const float* __restrict__ records, float* __restrict__ arrays, int count)
{
    const int first = blockIdx.x * THREADS;
    if (first >= count) return;
#if THROUGH_SHARED
    __shared__ float stage[THREADS * FIELDS];
    for (int i = threadIdx.x; i < THREADS * FIELDS; i += THREADS) stage[i] = records[first * FIELDS + i];
    __syncthreads();
    const float* mine = stage + threadIdx.x * FIELDS;
#else
    const float* mine = records + (first + threadIdx.x) * FIELDS;
#endif
#pragma unroll
    for (int f = 0; f < FIELDS; ++f) arrays[f * count + first + threadIdx.x] = mine[f];
}
