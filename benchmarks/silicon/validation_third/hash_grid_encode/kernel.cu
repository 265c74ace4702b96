// Multi-resolution hash encoding of points in 3-D: a level a row of blocks, the eight corners of a cell found by a hash
// (or by their place on coarse levels) and blended, by linear or smooth weights.
struct alignas(4 * FEATURES) Entry { float f[FEATURES]; };

__device__ __forceinline__ unsigned slot(unsigned x, unsigned y, unsigned z, unsigned side)
{
    constexpr unsigned SIZE = 1u << LOG_TABLE;
    if (side * side * side <= SIZE) return x + side * (y + side * z);
    return (x ^ (y * 2654435761u) ^ (z * 805459861u)) & (SIZE - 1);
}

extern "C" __global__ void hash_grid_encode(const float* __restrict__ points, const Entry* __restrict__ table,
                                            Entry* __restrict__ out, int count, float growth)
{
    const int i = blockIdx.x * THREADS + threadIdx.x, level = blockIdx.y;
    if (i >= count) return;
    const float scale = exp2f(level * growth) * 16.0f - 1.0f;
    const unsigned side = (unsigned)ceilf(scale) + 2;
    float w[3];
    unsigned cell[3];
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        const float p = points[3 * i + d] * scale + 0.5f, whole = floorf(p);
        cell[d] = (unsigned)whole;
        w[d] = p - whole;
        if (SMOOTH) w[d] = w[d] * w[d] * (3.0f - 2.0f * w[d]);
    }
    const Entry* own = table + ((size_t)level << LOG_TABLE);
    Entry sum = {};
#pragma unroll
    for (int corner = 0; corner < 8; ++corner) {
        float weight = 1.0f;
        unsigned at[3];
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            const unsigned up = (corner >> d) & 1;
            weight *= up ? w[d] : 1.0f - w[d];
            at[d] = cell[d] + up;
        }
        const Entry e = own[slot(at[0], at[1], at[2], side)];
#pragma unroll
        for (int f = 0; f < FEATURES; ++f) sum.f[f] += weight * e.f[f];
    }
    out[(size_t)level * count + i] = sum;
}
