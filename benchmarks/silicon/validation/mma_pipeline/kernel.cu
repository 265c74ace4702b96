// FP16 matrix product C = A B^T: cp.async brings STAGES tiles ahead, ldmatrix feeds mma.sync m16n8k16.
// Four warps, two by two; rows in shared memory are padded by 16 bytes.
#include <cuda_fp16.h>
constexpr int pitch = TILE_K + 8, rows = TILE_M + TILE_N, wm = TILE_M / 32, wn = TILE_N / 16;
extern __shared__ __align__(16) half tiles[];

__device__ void load4(unsigned* r, const half* p) {
    unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at));
}
__device__ void fetch(int stage, int k0, const half* a, const half* b, int m0, int n0, int depth) {
#pragma unroll
    for (int i = threadIdx.x; i < rows * TILE_K / 8; i += 128) {
        int r = i / (TILE_K / 8), k = i % (TILE_K / 8) * 8;
        const half* from = r < TILE_M ? a + (m0 + r) * depth : b + (n0 + r - TILE_M) * depth;
        unsigned to = (unsigned)__cvta_generic_to_shared(tiles + (stage * rows + r) * pitch + k);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + k0 + k));
    }
}

extern "C" __global__ void mma_pipeline(const half* __restrict__ a, const half* __restrict__ b,
                                        float* __restrict__ c, int depth) {
    int m0 = blockIdx.y * TILE_M, n0 = blockIdx.x * TILE_N, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int row0 = warp / 2 * (TILE_M / 2), column0 = warp % 2 * (TILE_N / 2), count = depth / TILE_K;
    float sum[wm][wn][4] = {};
    for (int s = 0; s < STAGES - 1; ++s) {
        fetch(s, s * TILE_K, a, b, m0, n0, depth);
        asm volatile("cp.async.commit_group;");
    }
    for (int t = 0; t < count; ++t) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
        __syncthreads();
        int next = t + STAGES - 1;
        if (next < count) fetch(next % STAGES, next * TILE_K, a, b, m0, n0, depth);
        asm volatile("cp.async.commit_group;");
        const half* sa = tiles + t % STAGES * rows * pitch + row0 * pitch;
        const half* sb = tiles + (t % STAGES * rows + TILE_M) * pitch + column0 * pitch;
#pragma unroll
        for (int k = 0; k < TILE_K; k += 16) {
            unsigned fa[wm][4], fb[wn / 2][4];
#pragma unroll
            for (int i = 0; i < wm; ++i) load4(fa[i], sa + (16 * i + lane % 16) * pitch + k + lane / 16 * 8);
#pragma unroll
            for (int j = 0; j < wn / 2; ++j)
                load4(fb[j], sb + (16 * j + lane % 8 + lane / 16 * 8) * pitch + k + lane / 8 % 2 * 8);
#pragma unroll
            for (int i = 0; i < wm; ++i)
#pragma unroll
                for (int j = 0; j < wn; ++j)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
                                 : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]),
                                   "r"(fb[j / 2][j % 2 * 2]), "r"(fb[j / 2][j % 2 * 2 + 1]));
        }
    }
#pragma unroll
    for (int i = 0; i < wm; ++i)
#pragma unroll
        for (int j = 0; j < wn; ++j) {
            float* to = c + (m0 + row0 + 16 * i + lane / 4) * 2048 + n0 + column0 + 8 * j + lane % 4 * 2;
            *(float2*)to = make_float2(sum[i][j][0], sum[i][j][1]);
            *(float2*)(to + 8 * 2048) = make_float2(sum[i][j][2], sum[i][j][3]);
        }
}
