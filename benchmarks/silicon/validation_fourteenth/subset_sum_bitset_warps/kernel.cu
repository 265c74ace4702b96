// bits |= bits << number for each number; word i of a lane has bits 32 (32 i + lane) and on.
constexpr int ALL = 32 * WORDS;

extern "C" __global__ void __launch_bounds__(WARPS * 32)
subset_sum_bitset_warps(const int* __restrict__ numbers, unsigned* __restrict__ reached)
{
    __shared__ unsigned held[EXCHANGED ? WARPS : 1][EXCHANGED ? ALL : 1];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, problem = blockIdx.x * WARPS + warp;
    unsigned b[WORDS] = {};
    if (lane == 0) b[0] = 1;
#pragma unroll 1
    for (int k0 = 0; k0 < ITEMS; k0 += 32) {
        const int mine = numbers[problem * ITEMS + k0 + lane];
#pragma unroll 2
        for (int k = 0; k < 32; ++k) {
            const int n = __shfl_sync(~0u, mine, k), q = n / 32, r = n % 32;
            if (EXCHANGED) {
                unsigned* s = held[EXCHANGED ? warp : 0];
#pragma unroll
                for (int i = 0; i < WORDS; ++i) s[i * 32 + lane] = b[i];
                __syncwarp();
#pragma unroll
                for (int i = 0; i < WORDS; ++i) {
                    const int at = i * 32 + lane - q;
                    const unsigned v = at >= 0 ? s[at] : 0, u = at >= 1 ? s[at - 1] : 0;
                    b[i] |= __funnelshift_l(u, v, r);
                }
                __syncwarp();
            } else {
                unsigned v[WORDS], u[WORDS];
#pragma unroll
                for (int i = 0; i < WORDS; ++i) {
                    v[i] = __shfl_sync(~0u, b[i], (lane - q) & 31);
                    u[i] = __shfl_sync(~0u, b[i], (lane - q - 1) & 31);
                }
#pragma unroll
                for (int i = WORDS - 1; i >= 0; --i) {
                    const unsigned vv = lane >= q ? v[i] : i ? v[i ? i - 1 : 0] : 0;
                    const unsigned uu = lane >= q + 1 ? u[i] : i ? u[i ? i - 1 : 0] : 0;
                    b[i] |= __funnelshift_l(uu, vv, r);
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < WORDS; ++i) reached[problem * ALL + i * 32 + lane] = b[i];
}
