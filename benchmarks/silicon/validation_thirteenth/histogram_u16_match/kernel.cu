// Histogram in shared memory; of lanes with the same key one can add for all.
constexpr int PER = 16777216 / 512 / VEC;
struct alignas(VEC * 2) Pack { unsigned short k[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
histogram_u16_match(const Pack* __restrict__ keys, unsigned* __restrict__ counts)
{
    __shared__ unsigned own[BINS];
    for (int i = threadIdx.x; i < BINS; i += THREADS) own[i] = 0;
    __syncthreads();
    const Pack* from = keys + blockIdx.x * PER;
#pragma unroll 2
    for (int i = threadIdx.x; i < PER; i += THREADS) {
        const Pack p = from[i];
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            if (MATCHED) {
                const unsigned same = __match_any_sync(~0u, (unsigned)p.k[j]);
                if (__ffs(same) - 1 == threadIdx.x % 32) atomicAdd(&own[p.k[j]], (unsigned)__popc(same));
            } else atomicAdd(&own[p.k[j]], 1u);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += THREADS) atomicAdd(&counts[i], own[i]);
}
