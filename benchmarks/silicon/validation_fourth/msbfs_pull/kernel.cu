// A step of many breadth-first searches at once, a bit a search: each vertex joins the frontiers of its incoming
// neighbours and keeps what is new. 32 to 128 searches, one or four lanes a vertex.
#if WORDS == 4
typedef uint4 Mask;
#elif WORDS == 2
typedef uint2 Mask;
#else
struct Mask { unsigned x; };
#endif

__device__ __forceinline__ int start_of(int v)
{
    unsigned h = v * 2654435761u;
    h ^= h >> 14;
    return v * MEAN + (int)(h % MEAN);
}

__device__ __forceinline__ void join(Mask& a, const Mask& b)
{
    a.x |= b.x;
#if WORDS >= 2
    a.y |= b.y;
#endif
#if WORDS == 4
    a.z |= b.z;
    a.w |= b.w;
#endif
}

extern "C" __global__ void msbfs_pull(const int* __restrict__ sources, const Mask* __restrict__ frontier,
                                      const Mask* __restrict__ seen, Mask* __restrict__ next, int vertices)
{
    const int thread = blockIdx.x * 256 + threadIdx.x, v = thread / LANES, lane = thread % LANES;
    if (v >= vertices) return;
    const int end = start_of(v + 1);
    Mask found = {};
    for (int k = start_of(v) + lane; k < end; k += LANES) join(found, frontier[sources[k]]);
#if LANES > 1
#pragma unroll
    for (int d = LANES / 2; d > 0; d >>= 1) {
        Mask other = {};
        other.x = __shfl_xor_sync(0xffffffff, found.x, d);
#if WORDS >= 2
        other.y = __shfl_xor_sync(0xffffffff, found.y, d);
#endif
#if WORDS == 4
        other.z = __shfl_xor_sync(0xffffffff, found.z, d);
        other.w = __shfl_xor_sync(0xffffffff, found.w, d);
#endif
        join(found, other);
    }
#endif
    if (lane == 0) {
        const Mask old = seen[v];
        found.x &= ~old.x;
#if WORDS >= 2
        found.y &= ~old.y;
#endif
#if WORDS == 4
        found.z &= ~old.z;
        found.w &= ~old.w;
#endif
        next[v] = found;
    }
}
