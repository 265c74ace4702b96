// Gradient of an embedding table from tokens sorted by their word: a warp looks at a sorted token; if it is the first
// of its word's run, it adds up the whole run and writes the row.
struct alignas(4 * VEC) Floats { float v[VEC]; };

extern "C" __global__ void embedding_grad_sorted(const int* __restrict__ sorted, const int* __restrict__ origin,
                                                 const float* __restrict__ grad, float* __restrict__ table, int tokens)
{
    const int at = blockIdx.x * blockDim.y + threadIdx.y;
    if (at >= tokens) return;
    const int word = sorted[at] / MEAN;
    if (at > 0 && sorted[at - 1] / MEAN == word) return;
    for (int d = threadIdx.x * VEC; d < DIM; d += 32 * VEC) {
        Floats sum = {};
        int k = at;
        do {
            const Floats g = *reinterpret_cast<const Floats*>(grad + (size_t)origin[k] * DIM + d);
#pragma unroll
            for (int i = 0; i < VEC; ++i) sum.v[i] += g.v[i];
            ++k;
        } while (k < tokens && sorted[k] / MEAN == word);
        *reinterpret_cast<Floats*>(table + (size_t)word * DIM + d) = sum;
    }
}
