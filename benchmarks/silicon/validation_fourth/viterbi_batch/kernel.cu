// Viterbi decoding of a convolutional code of rate one half and 64 states, a frame a warp, two states a lane; decisions
// by votes to shared memory, from where one lane goes back. Metrics in FP32 or integers.
#if FLOATS
typedef float metric;
#else
typedef int metric;
#endif

extern "C" __global__ void __launch_bounds__(WARPS * 32)
viterbi_batch(const signed char* __restrict__ soft, unsigned* __restrict__ bits)
{
    __shared__ uint2 decisions[WARPS][LENGTH];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, frame = blockIdx.x * WARPS + warp;
    const char2* symbols = reinterpret_cast<const char2*>(soft) + (size_t)frame * LENGTH;
    // Predecessors of states lane and lane + 32 are 2 * lane and 2 * lane + 1, modulo 64.
    const int even = 2 * lane & 63, source = even & 31;
    metric sign[2][2][2];
#pragma unroll
    for (int bit = 0; bit < 2; ++bit)
#pragma unroll
        for (int p = 0; p < 2; ++p) {
            const int window = bit << 6 | (even + p);
            sign[bit][p][0] = __popc(window & 0171) & 1 ? -1 : 1;
            sign[bit][p][1] = __popc(window & 0133) & 1 ? -1 : 1;
        }
    metric low = lane == 0 ? 0 : -1000, high = -1000;
    for (int base = 0; base < LENGTH; base += 32) {
        const char2 mine = symbols[base + lane];
        const int packed = (unsigned char)mine.x | (unsigned char)mine.y << 8;
        for (int s = 0; s < 32; ++s) {
            const int now = __shfl_sync(0xffffffff, packed, s);
            const metric y0 = (signed char)now, y1 = (signed char)(now >> 8);
            const metric l0 = __shfl_sync(0xffffffff, low, source), h0 = __shfl_sync(0xffffffff, high, source);
            const metric l1 = __shfl_sync(0xffffffff, low, source + 1), h1 = __shfl_sync(0xffffffff, high, source + 1);
            const metric m0 = lane < 16 ? l0 : h0, m1 = lane < 16 ? l1 : h1;
            const metric a0 = m0 + sign[0][0][0] * y0 + sign[0][0][1] * y1, a1 = m1 + sign[0][1][0] * y0 + sign[0][1][1] * y1;
            const metric b0 = m0 + sign[1][0][0] * y0 + sign[1][0][1] * y1, b1 = m1 + sign[1][1][0] * y0 + sign[1][1][1] * y1;
            const unsigned d0 = __ballot_sync(0xffffffff, a1 > a0), d1 = __ballot_sync(0xffffffff, b1 > b0);
            low = a1 > a0 ? a1 : a0;
            high = b1 > b0 ? b1 : b0;
            if (lane == 0) decisions[warp][base + s] = make_uint2(d0, d1);
        }
    }
    __syncwarp();
    if (lane == 0) {
        int state = 0;
        unsigned word = 0;
        for (int s = LENGTH - 1; s >= 0; --s) {
            const uint2 d = decisions[warp][s];
            word = word << 1 | state >> 5;
            const int odd = (state < 32 ? d.x : d.y) >> (state & 31) & 1;
            state = (2 * state & 63) | odd;
            if (s % 32 == 0) {
                bits[frame * (LENGTH / 32) + s / 32] = word;
                word = 0;
            }
        }
    }
}
