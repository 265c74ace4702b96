// A warp takes words of 32 vertices; the frontier is what two bitmaps have in common.
constexpr int WORDS_ALL = 16384;

__device__ __forceinline__ void mark(const int v, const unsigned* __restrict__ visited, unsigned* __restrict__ next)
{
    const unsigned bit = 1u << (v & 31);
    if (LOOKED && (visited[v >> 5] & bit)) return;
    atomicOr(next + (v >> 5), bit);
}

extern "C" __global__ void __launch_bounds__(THREADS)
bfs_bitmap_words_expand(const int* __restrict__ offsets, const int* __restrict__ edges, const unsigned* __restrict__ some, const unsigned* __restrict__ others,
                        const unsigned* __restrict__ visited, unsigned* __restrict__ next)
{
    const int lane = threadIdx.x % 32, warp = (blockIdx.x * THREADS + threadIdx.x) / 32;
#pragma unroll 1
    for (int w = 0; w < WORDS; ++w) {
        const int word = warp + w * (WORDS_ALL / WORDS);
        unsigned front = some[word] & others[word];
        if (WHOLE_WARP) {
            while (front) {
                const int v = word * 32 + __ffs(front) - 1, end = offsets[v + 1];
                front &= front - 1;
                for (int k = offsets[v] + lane; k < end; k += 32) mark(edges[k], visited, next);
            }
        } else if (front >> lane & 1) {
            const int v = word * 32 + lane, end = offsets[v + 1];
            for (int k = offsets[v]; k < end; ++k) mark(edges[k], visited, next);
        }
    }
}
