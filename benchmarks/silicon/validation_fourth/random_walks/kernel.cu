// Random walks on a graph, a walk a thread: a number by xorshift picks one of the neighbours, step after step. The path
// is written down, or its end alone.
__device__ __forceinline__ int start_of(int v)
{
    unsigned h = v * 2654435761u;
    h ^= h >> 15;
    return v * 8 + (int)(h % 8);
}

extern "C" __global__ void random_walks(const int* __restrict__ neighbours, int* __restrict__ path, int vertices, int walks)
{
    const int walk = blockIdx.x * THREADS + threadIdx.x;
    unsigned state = walk * 747796405u + 2891336453u;
    int v = state % vertices;
    for (int s = 0; s < STEPS; ++s) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        const int begin = start_of(v), length = start_of(v + 1) - begin;
        v = neighbours[begin + (int)__umulhi(state, length)];
        if (RECORD) path[s * walks + walk] = v;
    }
    if (!RECORD) path[walk] = v;
}
