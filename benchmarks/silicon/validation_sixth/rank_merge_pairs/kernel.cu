// Key i of a tile lies between 16 i and 16 i + 15. Equal keys of the first tile go first.
constexpr int THREADS = 2 * TILE / EACH;

__device__ unsigned key(unsigned s) { return s % TILE * 16 + (s * 2654435761u >> 28); }

extern "C" __global__ void __launch_bounds__(THREADS)
rank_merge_pairs(const unsigned* __restrict__ stored, unsigned* __restrict__ merged, unsigned* __restrict__ origin)
{
    const size_t base = (size_t)blockIdx.x * 2 * TILE;
#if STAGED
    __shared__ unsigned keys[2 * TILE], out[2 * TILE];
#pragma unroll
    for (int e = 0; e < EACH; ++e) keys[e * THREADS + threadIdx.x] = key(stored[base + e * THREADS + threadIdx.x]);
    __syncthreads();
#define KEY(i) keys[i]
#else
#define KEY(i) key(stored[base + (i)])
#endif
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = e * THREADS + threadIdx.x, side = i / TILE, other = (1 - side) * TILE;
        const unsigned mine = KEY(i), limit = mine + side;
        int low = 0;
#pragma unroll
        for (int step = TILE / 2; step > 0; step /= 2)
            if (KEY(other + low + step - 1) < limit) low += step;
        if (KEY(other + low) < limit) ++low;
        const int place = i % TILE + low;
#if STAGED
        out[place] = i;
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = e * THREADS + threadIdx.x;
        merged[base + i] = keys[out[i]];
        origin[base + i] = out[i];
    }
#else
        merged[base + place] = mine;
        origin[base + place] = i;
    }
#endif
}
