// 4,096 rows of 16 blocks each, 1,024 columns of blocks; a team of threads takes a row of blocks.
struct alignas(CV * 4) Pack { float v[CV]; };
constexpr int WIDTH = 16, PACKS = 64 / CV, TEAM = 8 / RT * PACKS, TEAMS = 128 / TEAM;

extern "C" __global__ void __launch_bounds__(128)
bsr8_spmm_f32(const int* __restrict__ index, const float* __restrict__ blocks, const Pack* __restrict__ x, Pack* __restrict__ y)
{
    __shared__ float s[STAGED ? TEAMS : 1][64];
    const int team = threadIdx.x / TEAM, member = threadIdx.x % TEAM, part = member % PACKS, r0 = member / PACKS * RT;
    const int row = blockIdx.x * TEAMS + team;
    Pack acc[RT] = {};
#pragma unroll UNROLL
    for (int k = 0; k < WIDTH; ++k) {
        const float* block = blocks + (row * WIDTH + k) * 64;
        if (STAGED) {
            __syncthreads();
            for (int i = member; i < 64; i += TEAM) s[team][i] = block[i];
            __syncthreads();
            block = s[team];
        }
        const Pack* from = x + index[row * WIDTH + k] * 8 * PACKS + part;
#pragma unroll
        for (int c = 0; c < 8; ++c) {
            const Pack p = from[c * PACKS];
#pragma unroll
            for (int r = 0; r < RT; ++r) {
                const float w = block[(r0 + r) * 8 + c];
#pragma unroll
                for (int j = 0; j < CV; ++j) acc[r].v[j] += w * p.v[j];
            }
        }
    }
#pragma unroll
    for (int r = 0; r < RT; ++r) y[(row * 8 + r0 + r) * PACKS + part] = acc[r];
}
