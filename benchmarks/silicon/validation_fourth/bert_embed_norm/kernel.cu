// The first layer of an encoder: rows of the word, position and segment tables added up, then layer norm. A block a
// token. The sum stays in registers, or in shared memory.
constexpr int HIDDEN = 768, EACH = HIDDEN / VEC / THREADS, WARPS = THREADS / 32;

struct alignas(4 * VEC) Pack { float v[VEC]; };

__device__ __forceinline__ float sum_block(float v, float* part)
{
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0.0f;
#pragma unroll
    for (int w = 0; w < WARPS; ++w) v += part[w];
    return v;
}

extern "C" __global__ void __launch_bounds__(THREADS)
bert_embed_norm(const int* __restrict__ tokens, const int* __restrict__ segments, const Pack* __restrict__ words,
                const Pack* __restrict__ positions, const Pack* __restrict__ kinds, const Pack* __restrict__ gamma,
                const Pack* __restrict__ beta, Pack* __restrict__ out, int length)
{
    __shared__ float first[WARPS], second[WARPS];
    constexpr int PACKS = HIDDEN / VEC;
    const int token = tokens[blockIdx.x], segment = segments[blockIdx.x], position = blockIdx.x % length;
#if STAGED
    __shared__ Pack row[PACKS];
#else
    Pack row[EACH];
#endif
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const int at = i * THREADS + threadIdx.x;
        Pack p = words[(size_t)token * PACKS + at];
        const Pack q = positions[position * PACKS + at], r = kinds[segment * PACKS + at];
#pragma unroll
        for (int k = 0; k < VEC; ++k) {
            p.v[k] += q.v[k] + r.v[k];
            sum += p.v[k];
        }
        row[STAGED ? at : i] = p;
    }
    const float mean = sum_block(sum, first) / HIDDEN;
    float square = 0.0f;
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const Pack p = row[STAGED ? i * THREADS + threadIdx.x : i];
#pragma unroll
        for (int k = 0; k < VEC; ++k) square += (p.v[k] - mean) * (p.v[k] - mean);
    }
    const float scale = rsqrtf(sum_block(square, second) / HIDDEN + 1e-12f);
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const int at = i * THREADS + threadIdx.x;
        Pack p = row[STAGED ? at : i];
        const Pack g = gamma[at], b = beta[at];
#pragma unroll
        for (int k = 0; k < VEC; ++k) p.v[k] = (p.v[k] - mean) * scale * g.v[k] + b.v[k];
        out[(size_t)blockIdx.x * PACKS + at] = p;
    }
}
