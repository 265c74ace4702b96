// Tables have 10,000 rows each and stand one after the other; out is [sample][field][dim].
constexpr int FIELDS = 26, ROWS = 10000, PARTS = DIM / VEC;

struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
fields_embedding_concat(const Pack* __restrict__ tables, const int* __restrict__ ids, Pack* __restrict__ out)
{
    int at = blockIdx.x * 256 * EACH + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e, at += 256) {
        const int slot = at / PARTS, field = slot % FIELDS;
        out[at] = tables[(size_t)(field * ROWS + ids[slot]) * PARTS + at % PARTS];
    }
}
