// C = A B^T of bytes with sums in 32-bit integers. A warp computes 16 rows of the whole width of the block's tile.
// PAD bytes behind each row of the tiles.
constexpr int TILE_M = 16 * WARPS, PITCH = TILE_K + PAD, THREADS = 32 * WARPS;

extern "C" __global__ void mma_int8_tiles(const signed char* __restrict__ a, const signed char* __restrict__ b,
                                          int* __restrict__ c)
{
    __shared__ __align__(16) signed char sa[TILE_M * PITCH], sb[TILE_N * PITCH];
    const int lane = threadIdx.x, warp = threadIdx.y, t = warp * 32 + lane;
    const int m0 = blockIdx.y * TILE_M, n0 = blockIdx.x * TILE_N;
    const int group = lane >> 2, quad = lane & 3;
    int acc[TILE_N / 8][4];
#pragma unroll
    for (int j = 0; j < TILE_N / 8; ++j) acc[j][0] = acc[j][1] = acc[j][2] = acc[j][3] = 0;

    for (int k0 = 0; k0 < 1024; k0 += TILE_K) {
        __syncthreads();
        for (int i = t; i < TILE_M * TILE_K / 16; i += THREADS) {
            const int r = i / (TILE_K / 16), k = i % (TILE_K / 16) * 16;
            *(int4*)(sa + r * PITCH + k) = *(const int4*)(a + (m0 + r) * 1024 + k0 + k);
        }
        for (int i = t; i < TILE_N * TILE_K / 16; i += THREADS) {
            const int r = i / (TILE_K / 16), k = i % (TILE_K / 16) * 16;
            *(int4*)(sb + r * PITCH + k) = *(const int4*)(b + (n0 + r) * 1024 + k0 + k);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE_K; k += 32) {
            const signed char* ra = sa + (warp * 16 + group) * PITCH + k + quad * 4;
            const int a0 = *(const int*)ra, a1 = *(const int*)(ra + 8 * PITCH);
            const int a2 = *(const int*)(ra + 16), a3 = *(const int*)(ra + 8 * PITCH + 16);
#pragma unroll
            for (int j = 0; j < TILE_N / 8; ++j) {
                const signed char* rb = sb + (j * 8 + group) * PITCH + k + quad * 4;
                const int b0 = *(const int*)rb, b1 = *(const int*)(rb + 16);
                asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                             "{%8, %9}, {%0, %1, %2, %3};"
                             : "+r"(acc[j][0]), "+r"(acc[j][1]), "+r"(acc[j][2]), "+r"(acc[j][3])
                             : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
            }
        }
    }
#pragma unroll
    for (int j = 0; j < TILE_N / 8; ++j) {
        int* to = c + (m0 + warp * 16 + group) * 2048 + n0 + j * 8 + quad * 2;
        *(int2*)to = make_int2(acc[j][0], acc[j][1]);
        *(int2*)(to + 8 * 2048) = make_int2(acc[j][2], acc[j][3]);
    }
}
