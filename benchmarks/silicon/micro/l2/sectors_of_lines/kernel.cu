// What a store costs L2 by the sectors of each line that it writes: those of the bits of SECTORS, WORDS of the eight words of
// each. A warp's store covers as many lines as its lanes are enough for, 4 KiB apart; which lines follows from a hash, so that
// no two stores meet. Each thread stores EACH times.
__host__ __device__ constexpr unsigned bits(unsigned x) { return x ? (x & 1) + bits(x >> 1) : 0; }
constexpr unsigned LANE_WORDS = WORDS < 4 ? WORDS : 4, LANES = bits(SECTORS) * (WORDS / LANE_WORDS), LINES = 32 / LANES;
constexpr unsigned ALL = (1 << 24) / 128;

__device__ unsigned hash(unsigned x) {
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

extern "C" __global__ void __launch_bounds__(256) sectors_of_lines(char* __restrict__ data) {
    const unsigned lane = threadIdx.x % 32, of_line = lane % LANES, half = of_line % (WORDS / LANE_WORDS);
    unsigned sector = 0, skipped = of_line / (WORDS / LANE_WORDS);
    for (unsigned s = 0; s < 4; ++s)
        if (SECTORS >> s & 1 && skipped-- == 0) sector = s;
    if (lane >= LINES * LANES) return;
#pragma unroll
    for (unsigned each = 0; each < EACH; ++each) {
        const unsigned warp = (blockIdx.x * EACH + each) * 8 + threadIdx.x / 32;
        const unsigned line = (hash(warp) % ALL + lane / LANES * 32) % ALL;
        char* at = data + (size_t)line * 128 + sector * 32 + half * 16;
        if (LANE_WORDS == 1) asm volatile("st.global.f32 [%0], %1;" ::"l"(at), "f"(1.0f));
        if (LANE_WORDS == 2) asm volatile("st.global.v2.f32 [%0], {%1, %1};" ::"l"(at), "f"(1.0f));
        if (LANE_WORDS == 4) asm volatile("st.global.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(at), "f"(1.0f));
    }
}
