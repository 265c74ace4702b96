// Y = W X for 4,096 x 4,096 weights of 4 bits with a scale for every 64; a word holds a lane's part of a 16 x 16 tile.
#include <cuda_fp16.h>

constexpr int K = 4096, TILES = K / 16, PER = TILES / WARPS, NT = TOKENS / 8;

__device__ unsigned two(unsigned word, __half2 scale)
{
    const unsigned bits = word & 0x000f000fu | 0x64006400u;
    const __half2 value = __hmul2(__hsub2(*(const __half2*)&bits, __float2half2_rn(1032.0f)), scale);
    return *(const unsigned*)&value;
}

extern "C" __global__ void __launch_bounds__(WARPS * 32)
w4_skinny_mma(const unsigned* __restrict__ weights, const __half* __restrict__ scales, const __half* __restrict__ x,
              float* __restrict__ y)
{
    __shared__ float parts[WARPS][NT][4][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row0 = blockIdx.x * 16;
    float sum[NT][4] = {};
#pragma unroll UNROLL
    for (int i = 0; i < PER; ++i) {
        const int tile = warp * PER + i;
        const unsigned w = weights[(blockIdx.x * TILES + tile) * 32 + lane];
        const __half2 low = __half2half2(scales[(row0 + lane / 4) * (K / 64) + tile / 4]);
        const __half2 high = __half2half2(scales[(row0 + lane / 4 + 8) * (K / 64) + tile / 4]);
        const unsigned a0 = two(w, low), a1 = two(w >> 4, high), a2 = two(w >> 8, low), a3 = two(w >> 12, high);
#pragma unroll
        for (int j = 0; j < NT; ++j) {
            const __half* from = x + (j * 8 + lane / 4) * K + tile * 16 + lane % 4 * 2;
            const unsigned b0 = *(const unsigned*)from, b1 = *(const unsigned*)(from + 8);
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                         "{%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
                         : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
        }
    }
#pragma unroll
    for (int j = 0; j < NT; ++j)
#pragma unroll
        for (int q = 0; q < 4; ++q) parts[warp][j][q][lane] = sum[j][q];
    __syncthreads();
    for (int i = threadIdx.x; i < NT * 128; i += WARPS * 32) {
        const int l = i % 32, q = i / 32 % 4, j = i / 128;
        float total = 0.0f;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) total += parts[w][j][q][l];
        y[(j * 8 + l % 4 * 2 + q % 2) * 4096 + row0 + l / 4 + q / 2 * 8] = total;
    }
}
