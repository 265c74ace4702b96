// A lane has OWN places side by side; STEPS places at both ends of a warp become wrong and are other warps' to write.
constexpr int N = 8388608, GOOD = 32 * OWN - 2 * STEPS;

extern "C" __global__ void __launch_bounds__(32 * WARPS)
wave1d_steps_in_warps(const float* __restrict__ u, const float* __restrict__ before, float* __restrict__ unext,
                      float* __restrict__ bnext)
{
    const int warp = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    const int first = warp * GOOD - STEPS + lane * OWN;
    float a[OWN], b[OWN];
#pragma unroll
    for (int i = 0; i < OWN; i += 4) {
        float4 p = make_float4(0.0f, 0.0f, 0.0f, 0.0f), q = p;
        if (first + i >= 0 && first + i < N) {
            p = *reinterpret_cast<const float4*>(u + first + i);
            q = *reinterpret_cast<const float4*>(before + first + i);
        }
        a[i] = p.x, a[i + 1] = p.y, a[i + 2] = p.z, a[i + 3] = p.w;
        b[i] = q.x, b[i + 1] = q.y, b[i + 2] = q.z, b[i + 3] = q.w;
    }
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
        const float left = __shfl_up_sync(~0u, a[OWN - 1], 1), right = __shfl_down_sync(~0u, a[0], 1);
#pragma unroll
        for (int i = 0; i < OWN; ++i) {
            const float l = i ? a[i - 1] : left, r = i < OWN - 1 ? a[i + 1] : right;
            b[i] = 2.0f * a[i] - b[i] + 0.2f * (l - 2.0f * a[i] + r);
        }
#pragma unroll
        for (int i = 0; i < OWN; ++i) {
            const float t = a[i];
            a[i] = b[i];
            b[i] = t;
        }
    }
#pragma unroll
    for (int i = 0; i < OWN; i += 4) {
        const int at = lane * OWN + i;
        if (at >= STEPS && at < 32 * OWN - STEPS && first + i < N) {
            *reinterpret_cast<float4*>(unext + first + i) = make_float4(a[i], a[i + 1], a[i + 2], a[i + 3]);
            *reinterpret_cast<float4*>(bnext + first + i) = make_float4(b[i], b[i + 1], b[i + 2], b[i + 3]);
        }
    }
}
