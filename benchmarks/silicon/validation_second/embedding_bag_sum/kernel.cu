// Embedding bag with sum pooling, as recommendation models have it: DIM / VEC threads share a bag.
struct alignas(4 * VEC) Chunk { float f[VEC]; };

extern "C" __global__ void embedding_bag_sum(const Chunk* __restrict__ table, const int* __restrict__ indices,
                                             Chunk* __restrict__ pooled)
{
    const int lanes = DIM / VEC;
    const int bag = (blockIdx.x * 256 + threadIdx.x) / lanes;
    const int part = threadIdx.x % lanes;
    const int* mine = indices + bag * BAG;
    Chunk total;
    for (int v = 0; v < VEC; v++) total.f[v] = 0.f;
    for (int l = 0; l < BAG; l++) {
        const Chunk row = table[(long long)mine[l] * lanes + part];
        for (int v = 0; v < VEC; v++) total.f[v] += row.f[v];
    }
    pooled[(long long)bag * lanes + part] = total;
}
