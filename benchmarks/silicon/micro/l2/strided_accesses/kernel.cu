// A lane accesses WORDS words of a sector of its own, lanes STRIDE bytes apart, past L1, each sector of up to 36 MiB once. Warps
// that follow each other take (ORDER 0) sectors in a row, until those between two lanes are through, or (ORDER 1) the eight of a
// block do, and the next block goes on where the lanes of this one end, as in the transpose of a matrix.
constexpr unsigned SECTOR = 32, BETWEEN = STRIDE / SECTOR, WARPS = BLOCKS * 8, GROUPS = (WARPS + BETWEEN - 1) / BETWEEN;

extern "C" __global__ void __launch_bounds__(256) strided_accesses(char* __restrict__ data, float* __restrict__ out) {
    const unsigned warp = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
#if ORDER == 0 || STRIDE < 256
    const unsigned sector = warp % BETWEEN, group = warp / BETWEEN;
#else
    const unsigned sector = blockIdx.x / GROUPS * 8 + threadIdx.x / 32, group = blockIdx.x % GROUPS;
#endif
    char* at = data + (size_t)(group * 32 + lane) * STRIDE + sector * SECTOR;
    if (group >= GROUPS || sector >= BETWEEN) return;
#if STORES && WORDS == 1
    asm volatile("st.global.f32 [%0], %1;" ::"l"(at), "f"(1.0f));
#elif STORES
    asm volatile("st.global.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(at), "f"(1.0f));
#elif WORDS == 1
    if (__ldcg((const float*)at) == 3.0f) *out = 1;
#else
    const float4 v = __ldcg((const float4*)at);
    if (v.x + v.y + v.z + v.w == 3.0f) *out = 1;
#endif
}
