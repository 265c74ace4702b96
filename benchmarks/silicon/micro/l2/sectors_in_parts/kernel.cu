// Sectors that are written in parts, each by a store of its own: a lane writes WORDS words of a sector, lanes STRIDE bytes
// apart, until all of 16 MiB is written. The parts of a sector are written by (ORDER 0) warps in a row, whose next ones go
// on with the sectors behind these; (1) warps in a row, whose next ones go on where the lanes of these end, as in a
// transpose; (2) warps as far from each other as can be. FIRST: only the first part of each sector is written, again and
// again. Each thread writes EACH times.
constexpr unsigned SECTOR = 32, BYTES = 1 << 24, PARTS = 8 / WORDS, BETWEEN = STRIDE / SECTOR;
constexpr unsigned GROUPS = BYTES / SECTOR / 32, SETS = GROUPS / BETWEEN;

extern "C" __global__ void __launch_bounds__(256) sectors_in_parts(char* __restrict__ data) {
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (unsigned each = 0; each < EACH; ++each) {
        const unsigned warp = (blockIdx.x * EACH + each) * 8 + threadIdx.x / 32;
        const unsigned in_round = warp % (GROUPS * PARTS);
        unsigned part, group;
        if (ORDER == 2) {
            part = in_round / GROUPS;
            group = in_round % GROUPS;
        } else {
            part = in_round % PARTS;
            group = in_round / PARTS;
        }
        const unsigned sector = ORDER == 1 ? group / SETS : group % BETWEEN;
        const unsigned set = ORDER == 1 ? group % SETS : group / BETWEEN;
        char* at = data + (size_t)(set * 32 + lane) * STRIDE + sector * SECTOR + (FIRST ? 0 : part * WORDS * 4);
#if WORDS == 1
        asm volatile("st.global.f32 [%0], %1;" ::"l"(at), "f"(1.0f));
#elif WORDS == 2
        asm volatile("st.global.v2.f32 [%0], {%1, %1};" ::"l"(at), "f"(1.0f));
#else
        asm volatile("st.global.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(at), "f"(1.0f));
#endif
    }
}
