// out = words[token] + places[position] + kinds[kind]; sequences of 512 tokens.
constexpr int WIDE = DIM / VEC;
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(128)
embed_pos_type_sum(const int* __restrict__ token, const int* __restrict__ kind, const Pack* __restrict__ words,
                   const Pack* __restrict__ places, const Pack* __restrict__ kinds, Pack* __restrict__ out)
{
    const int id = blockIdx.x * 128 + threadIdx.x, c = id % WIDE, first = id / WIDE * EACH;
    Pack a[EACH], b[EACH], d[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        a[e] = words[(size_t)token[first + e] * WIDE + c];
        b[e] = places[(first + e) % 512 * WIDE + c];
        d[e] = kinds[kind[first + e] * WIDE + c];
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        Pack r;
#pragma unroll
        for (int j = 0; j < VEC; ++j) r.v[j] = a[e].v[j] + b[e].v[j] + d[e].v[j];
        out[(size_t)(first + e) * WIDE + c] = r;
    }
}
