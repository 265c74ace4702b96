// 262,144 vertices with 32 neighbours; the number of conflicts is added by one atomic a block.
extern "C" __global__ void __launch_bounds__(256)
colour_conflicts_lanes(const int* __restrict__ index, const int* __restrict__ words, const unsigned char* __restrict__ small,
                       unsigned char* __restrict__ flag, int* __restrict__ count)
{
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    const int id = blockIdx.x * 256 + threadIdx.x, node = id / LANES, lane = id % LANES;
    const int own = BYTES ? small[node] : words[node];
    int same = 0;
#pragma unroll 2
    for (int i = lane; i < 32; i += LANES) {
        const int k = index[node * 32 + i];
        same |= (BYTES ? small[k] : words[k]) == own;
        if (EARLY && same) break;
    }
    __syncwarp();
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) same |= __shfl_xor_sync(~0u, same, d);
    if (lane == 0) {
        flag[node] = same;
        if (same) atomicAdd(&total, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(count, total);
}
