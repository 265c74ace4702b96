// A round of connected components: every vertex takes the least label among its own and its neighbours', with JUMP that
// label's label. 1 to 32 lanes a vertex.
__device__ __forceinline__ int start_of(int v)
{
    unsigned h = v * 3266489917u;
    h ^= h >> 15;
    return v * MEAN + (int)(h % MEAN);
}

extern "C" __global__ void label_propagate_min(const int* __restrict__ neighbours, const int* __restrict__ labels,
                                               int* __restrict__ out, int vertices)
{
    const int thread = blockIdx.x * 256 + threadIdx.x, v = thread / LANES, lane = thread % LANES;
    if (v >= vertices) return;
    const int end = start_of(v + 1);
    int least = labels[v];
    for (int k = start_of(v) + lane; k < end; k += LANES) least = min(least, labels[neighbours[k]]);
#if LANES > 1
#pragma unroll
    for (int d = LANES / 2; d > 0; d >>= 1) least = min(least, __shfl_xor_sync(0xffffffff, least, d));
#endif
    if (lane == 0) out[v] = JUMP ? min(least, labels[least]) : least;
}
