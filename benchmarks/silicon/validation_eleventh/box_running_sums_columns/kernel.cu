// Vertical box filter: each thread goes down a segment of VEC columns with a running sum of 2 R + 1 rows.
constexpr int W = 4096, H = 2048, SPAN = 2 * RADIUS + 1, WIDE = W / VEC;
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(128)
box_running_sums_columns(const Pack* __restrict__ in, Pack* __restrict__ out)
{
    const int x = blockIdx.x * 128 + threadIdx.x, y0 = blockIdx.y * SEGMENT;
    const Pack* from = in + (size_t)y0 * WIDE + x;
    Pack* to = out + (size_t)y0 * WIDE + x;
    float sum[VEC] = {};
#pragma unroll 4
    for (int i = 0; i < SPAN - 1; ++i) {
        const Pack p = from[(size_t)i * WIDE];
#pragma unroll
        for (int j = 0; j < VEC; ++j) sum[j] += p.v[j];
    }
    constexpr int U = UNROLL;
#pragma unroll U
    for (int y = 0; y < SEGMENT; ++y) {
        const Pack p = from[(size_t)(y + SPAN - 1) * WIDE], q = from[(size_t)y * WIDE];
        Pack r;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            sum[j] += p.v[j];
            r.v[j] = sum[j] * (1.0f / SPAN);
            sum[j] -= q.v[j];
        }
        to[(size_t)y * WIDE] = r;
    }
}
