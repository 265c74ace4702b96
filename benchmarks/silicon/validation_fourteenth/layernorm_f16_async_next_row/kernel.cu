// Rows arrive by cp.async while the rows before them are normalised.
#include <cuda_fp16.h>
constexpr int ROWS = 16777216 / COLS, PACKS = COLS / 8, WARPS = THREADS / 32, EACH = (PACKS + THREADS - 1) / THREADS;
struct alignas(16) Pack { __half2 h[4]; };

__device__ __forceinline__ void copy16(void* to, const void* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}

extern "C" __global__ void __launch_bounds__(THREADS)
layernorm_f16_async_next_row(const Pack* __restrict__ x, const Pack* __restrict__ gamma, const Pack* __restrict__ beta, Pack* __restrict__ y)
{
    __shared__ Pack ring[RING][PACKS];
    __shared__ float2 part[2][WARPS];
    const int t = threadIdx.x;
    auto start = [&](int row, int slot) {
        if (row < ROWS)
            for (int i = t; i < PACKS; i += THREADS) copy16(&ring[slot][i], x + (size_t)row * PACKS + i);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
#pragma unroll
    for (int s = 0; s < RING - 1; ++s) start(blockIdx.x + s * BLOCKS, s);
    int slot = 0, side = 0;
#pragma unroll 1
    for (int row = blockIdx.x; row < ROWS; row += BLOCKS) {
        start(row + (RING - 1) * BLOCKS, slot == 0 ? RING - 1 : slot - 1);
        asm volatile("cp.async.wait_group %0;" ::"n"(RING - 1) : "memory");
        Pack p[EACH];
        float sum = 0.0f, squares = 0.0f;
#pragma unroll
        for (int i = 0; i < EACH; ++i)
            if (i * THREADS + t < PACKS) {
                p[i] = ring[slot][i * THREADS + t];
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    const float2 f = __half22float2(p[i].h[j]);
                    sum += f.x + f.y;
                    squares += f.x * f.x + f.y * f.y;
                }
            }
#pragma unroll
        for (int d = 16; d; d >>= 1) {
            sum += __shfl_xor_sync(~0u, sum, d);
            squares += __shfl_xor_sync(~0u, squares, d);
        }
        if (t % 32 == 0) part[side][t / 32] = make_float2(sum, squares);
        __syncthreads();
        sum = squares = 0.0f;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            sum += part[side][w].x;
            squares += part[side][w].y;
        }
        const float mean = sum / COLS, scale = rsqrtf(squares / COLS - mean * mean + 1e-5f);
#pragma unroll
        for (int i = 0; i < EACH; ++i)
            if (i * THREADS + t < PACKS) {
                const Pack g = gamma[i * THREADS + t], b = beta[i * THREADS + t];
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    const float2 f = __half22float2(p[i].h[j]), gf = __half22float2(g.h[j]), bf = __half22float2(b.h[j]);
                    p[i].h[j] = __floats2half2_rn((f.x - mean) * scale * gf.x + bf.x, (f.y - mean) * scale * gf.y + bf.y);
                }
                y[(size_t)row * PACKS + i * THREADS + t] = p[i];
            }
        slot = slot == RING - 1 ? 0 : slot + 1;
        side ^= 1;
    }
}
