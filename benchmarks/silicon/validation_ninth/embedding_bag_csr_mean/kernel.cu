// Weighted mean of the rows of each bag; DIM / VEC lanes have a bag.
constexpr int WIDE = DIM / VEC;
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
embedding_bag_csr_mean(const int* __restrict__ start, const int* __restrict__ index, const float* __restrict__ weight,
                       const Pack* __restrict__ table, Pack* __restrict__ out)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, bag = id / WIDE, c = id % WIDE;
    const int begin = start[bag], end = start[bag + 1];
    float acc[VEC] = {}, total = 0.0f;
    int i = begin;
#pragma unroll 1
    for (; i + UNROLL <= end; i += UNROLL) {
        Pack p[UNROLL];
        float w[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            p[u] = table[(size_t)index[i + u] * WIDE + c];
            w[u] = weight[i + u];
        }
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            total += w[u];
#pragma unroll
            for (int j = 0; j < VEC; ++j) acc[j] += w[u] * p[u].v[j];
        }
    }
    if (UNROLL > 1)
#pragma unroll 1
        for (; i < end; ++i) {
            const Pack p = table[(size_t)index[i] * WIDE + c];
            const float w = weight[i];
            total += w;
#pragma unroll
            for (int j = 0; j < VEC; ++j) acc[j] += w * p.v[j];
        }
    const float scale = end > begin ? 1.0f / (total + 1.0e-6f) : 0.0f;
    Pack r;
#pragma unroll
    for (int j = 0; j < VEC; ++j) r.v[j] = acc[j] * scale;
    out[id] = r;
}
