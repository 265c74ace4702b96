// A block's first difference is to its own first number's floor of zero; the lane before gives its last number.
constexpr int BLOCK = PER * 32;
struct alignas(PER * 4) Pack { int n[PER]; };

extern "C" __global__ void __launch_bounds__(WARPS * 32)
zigzag_delta_bit_widths(const Pack* __restrict__ x, Pack* __restrict__ codes, unsigned char* __restrict__ widths)
{
    const int lane = threadIdx.x % 32, warp = blockIdx.x * WARPS + threadIdx.x / 32;
#pragma unroll
    for (int turn = 0; turn < TURNS; ++turn) {
        const int block = warp * TURNS + turn;
        const Pack p = x[block * 32 + lane];
        int before = __shfl_up_sync(~0u, p.n[PER - 1], 1);
        if (lane == 0) before = 0;
        Pack o;
        unsigned all = 0;
#pragma unroll
        for (int j = 0; j < PER; ++j) {
            const int d = p.n[j] - (j ? p.n[j ? j - 1 : 0] : before);
            o.n[j] = (d << 1) ^ (d >> 31);
            all |= (unsigned)o.n[j];
        }
        codes[block * 32 + lane] = o;
        if (REDUCED) {
            all = __reduce_or_sync(~0u, all);
        } else {
#pragma unroll
            for (int d = 16; d; d >>= 1) all |= __shfl_xor_sync(~0u, all, d);
        }
        if (lane == 0) widths[block] = 32 - __clz(all);
    }
}
