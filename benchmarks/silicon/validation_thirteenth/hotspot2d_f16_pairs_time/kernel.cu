// Steps of a chip's temperatures in pairs of FP16 numbers; a tile and its rims are in shared memory, and the rims shrink.
#include <cuda_fp16.h>
constexpr int N = 2048, PAIRS = N / 2, HP = STEPS / 2 + 1, W = TX + 2 * HP, H = TY + 2 * STEPS, THREADS = TX * BY;

extern "C" __global__ void __launch_bounds__(THREADS)
hotspot2d_f16_pairs_time(const __half2* __restrict__ temp, const __half2* __restrict__ power, __half2* __restrict__ out)
{
    __shared__ __half2 now[2][H][W];
    __shared__ __half2 heat[H][W];
    const int t = threadIdx.y * TX + threadIdx.x, x0 = blockIdx.x * TX - HP, y0 = blockIdx.y * TY - STEPS;
    for (int i = t; i < H * W; i += THREADS) {
        const int y = min(max(y0 + i / W, 0), N - 1), x = min(max(x0 + i % W, 0), PAIRS - 1);
        const __half2 v = temp[y * PAIRS + x];
        now[0][i / W][i % W] = v;
        now[1][i / W][i % W] = v;
        heat[i / W][i % W] = power[y * PAIRS + x];
    }
    __syncthreads();
    const __half2 a = __float2half2_rn(0.12f), b = __float2half2_rn(0.1f), c = __float2half2_rn(0.05f), own = __float2half2_rn(0.5f);
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
        for (int i = t; i < (H - 2) * (W - 2); i += THREADS) {
            const int y = 1 + i / (W - 2), x = 1 + i % (W - 2);
            const __half2 me = now[s & 1][y][x], l = now[s & 1][y][x - 1], r = now[s & 1][y][x + 1];
            const __half2 west = __halves2half2(__high2half(l), __low2half(me)), east = __halves2half2(__high2half(me), __low2half(r));
            __half2 v = __hmul2(me, own);
            v = __hfma2(__hadd2(now[s & 1][y - 1][x], now[s & 1][y + 1][x]), a, v);
            v = __hfma2(__hadd2(west, east), b, v);
            now[~s & 1][y][x] = __hfma2(heat[y][x], c, v);
        }
        __syncthreads();
    }
    for (int y = threadIdx.y; y < TY; y += BY)
        out[(blockIdx.y * TY + y) * PAIRS + blockIdx.x * TX + threadIdx.x] = now[STEPS & 1][y + STEPS][threadIdx.x + HP];
}
