// Keys of 64 sequences of 512 tokens are gathered from pages into one array; a token has 1,024 bf16 numbers.
struct alignas(VEC * 4) Pack { unsigned w[VEC]; };
constexpr int WIDE = 512 / VEC, GROUPS = 256 / LANES;

extern "C" __global__ void __launch_bounds__(256)
kv_page_gather_bf16(const Pack* __restrict__ pool, const int* __restrict__ table, Pack* __restrict__ keys)
{
    const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
#pragma unroll 1
    for (int e = 0; e < EACH; ++e) {
        const int token = (blockIdx.x * EACH + e) * GROUPS + group;
        const Pack* from = pool + ((size_t)table[token / PAGE] * PAGE + token % PAGE) * WIDE + lane;
        Pack* to = keys + (size_t)token * WIDE + lane;
#pragma unroll 8
        for (int i = 0; i < WIDE / LANES; ++i) to[i * LANES] = from[i * LANES];
    }
}
