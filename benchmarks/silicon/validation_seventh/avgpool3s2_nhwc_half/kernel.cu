#include <cuda_fp16.h>
// 16 images of 112 x 112 pixels by 64 channels to 56 x 56, windows of 3 x 3 with a border of one, EACH outputs in a row a thread.
struct alignas(VEC * 2) Pack { half v[VEC]; };
constexpr int C = 64 / VEC, IN = 112, OUT = 56;

extern "C" __global__ void __launch_bounds__(THREADS)
avgpool3s2_nhwc_half(const Pack* __restrict__ x, Pack* __restrict__ y)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const int c = i % C, ox = i / C % (OUT / EACH) * EACH, oy = i / (C * (OUT / EACH)) % OUT, image = i / (C * (OUT / EACH) * OUT);
    float sum[EACH][VEC] = {};
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy) {
        const int iy = oy * 2 + dy;
        if (iy < 0) continue;
        const Pack* row = x + ((size_t)image * IN + iy) * IN * C + c;
#pragma unroll
        for (int dx = -1; dx < EACH * 2; ++dx) {
            const int ix = ox * 2 + dx;
            if (ix < 0) continue;
            const Pack p = row[ix * C];
#pragma unroll
            for (int e = 0; e < EACH; ++e)
                if (dx >= e * 2 - 1 && dx <= e * 2 + 1)
#pragma unroll
                    for (int j = 0; j < VEC; ++j) sum[e][j] += __half2float(p.v[j]);
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        Pack out;
#pragma unroll
        for (int j = 0; j < VEC; ++j) out.v[j] = __float2half(sum[e][j] * (1.0f / 9.0f));
        y[(((size_t)image * OUT + oy) * OUT + ox + e) * C + c] = out;
    }
}
