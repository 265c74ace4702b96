// Dedispersion of samples of two bits, 16 a word: words are shifted by a channel's delay and added in fields of bytes; DMS measures a thread.
constexpr int CHANNELS = 256, WORDS = 4096, LD = WORDS + 64, MEASURES = 64;

extern "C" __global__ void __launch_bounds__(THREADS)
dedisp_two_bit_words(const unsigned* __restrict__ samples, const int* __restrict__ delay, unsigned short* __restrict__ sums)
{
    constexpr int U = UNROLL;
    __shared__ int late[STAGED ? DMS * CHANNELS : 1];
    const int word = blockIdx.x * THREADS + threadIdx.x, dm0 = blockIdx.y * DMS;
    if (STAGED) {
        for (int i = threadIdx.x; i < DMS * CHANNELS; i += THREADS) late[STAGED ? i : 0] = delay[dm0 * CHANNELS + i];
        __syncthreads();
    }
    unsigned total[DMS][8] = {};
#pragma unroll 1
    for (int c0 = 0; c0 < CHANNELS; c0 += 64) {
        unsigned part[DMS][4] = {};
#pragma unroll U
        for (int c = c0; c < c0 + 64; ++c)
#pragma unroll
            for (int d = 0; d < DMS; ++d) {
                const int shift = STAGED ? late[STAGED ? d * CHANNELS + c : 0] : delay[(dm0 + d) * CHANNELS + c];
                const unsigned* from = samples + c * LD + word + shift / 16;
                const unsigned w = __funnelshift_r(from[0], from[1], shift % 16 * 2);
#pragma unroll
                for (int i = 0; i < 4; ++i) part[d][i] += w >> 2 * i & 0x03030303u;
            }
#pragma unroll
        for (int d = 0; d < DMS; ++d)
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                total[d][2 * i] += part[d][i] & 0x00ff00ffu;
                total[d][2 * i + 1] += part[d][i] >> 8 & 0x00ff00ffu;
            }
    }
#pragma unroll
    for (int d = 0; d < DMS; ++d) {
        uint4* to = reinterpret_cast<uint4*>(sums + ((size_t)(dm0 + d) * WORDS + word) * 16);
        to[0] = make_uint4(total[d][0], total[d][1], total[d][2], total[d][3]);
        to[1] = make_uint4(total[d][4], total[d][5], total[d][6], total[d][7]);
    }
}
