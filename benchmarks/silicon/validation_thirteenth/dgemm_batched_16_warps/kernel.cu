// C = A B for many 16 x 16 matrices; a lane has eight columns of a row, its row of A comes by shuffles.
struct alignas(VEC * 8) Pack { double f[VEC]; };

extern "C" __global__ void __launch_bounds__(32 * WARPS)
dgemm_batched_16_warps(const double* __restrict__ a, const double* __restrict__ b, double* __restrict__ c)
{
    alignas(16) __shared__ double bs[STAGED ? WARPS : 1][STAGED ? 256 : 2];
    const int lane = threadIdx.x, w = threadIdx.y, row = lane / 2, col = lane % 2 * 8;
#pragma unroll 1
    for (int turn = 0; turn < TURNS; ++turn) {
        const size_t base = ((size_t)(blockIdx.x * TURNS + turn) * WARPS + w) * 256;
        Pack own[8 / VEC];
#pragma unroll
        for (int i = 0; i < 8 / VEC; ++i) own[i] = *reinterpret_cast<const Pack*>(a + base + lane * 8 + i * VEC);
        if (STAGED) {
            __syncwarp();
#pragma unroll
            for (int i = 0; i < 256; i += 32 * VEC)
                *reinterpret_cast<Pack*>(&bs[STAGED ? w : 0][STAGED ? i + lane * VEC : 0]) = *reinterpret_cast<const Pack*>(b + base + i + lane * VEC);
            __syncwarp();
        }
        double acc[8] = {};
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const double x = __shfl_sync(~0u, own[k % 8 / VEC].f[k % VEC], row * 2 + k / 8);
#pragma unroll
            for (int j = 0; j < 8; j += VEC) {
                const Pack y = STAGED ? *reinterpret_cast<const Pack*>(&bs[STAGED ? w : 0][STAGED ? k * 16 + col + j : 0])
                                      : *reinterpret_cast<const Pack*>(b + base + k * 16 + col + j);
#pragma unroll
                for (int v = 0; v < VEC; ++v) acc[j + v] += x * y.f[v];
            }
        }
#pragma unroll
        for (int j = 0; j < 8; j += VEC) {
            Pack o;
#pragma unroll
            for (int v = 0; v < VEC; ++v) o.f[v] = acc[j + v];
            *reinterpret_cast<Pack*>(c + base + lane * 8 + j) = o;
        }
    }
}
