// LANES lanes of a warp share the sources of a body and add up what they found by shuffles.
constexpr int N = 16384, BODIES = 256 / LANES;

extern "C" __global__ void __launch_bounds__(256)
nbody_lanes_per_body(const float4* __restrict__ bodies, float4* __restrict__ acceleration)
{
    __shared__ float4 tile[STAGED ? 1024 : 1];
    const int lane = threadIdx.x % LANES, body = blockIdx.x * BODIES + threadIdx.x / LANES;
    const float4 own = bodies[body];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
#pragma unroll 1
    for (int t = 0; t < N; t += 1024) {
        if (STAGED) {
            __syncthreads();
            for (int i = threadIdx.x; i < 1024; i += 256) tile[STAGED ? i : 0] = bodies[t + i];
            __syncthreads();
        }
        constexpr int U = UNROLL;
#pragma unroll U
        for (int i = lane; i < 1024; i += LANES) {
            const float4 b = STAGED ? tile[STAGED ? i : 0] : __ldg(bodies + t + i);
            const float dx = b.x - own.x, dy = b.y - own.y, dz = b.z - own.z;
            const float by = rsqrtf(dx * dx + dy * dy + dz * dz + 1.0e-4f), f = b.w * by * by * by;
            ax += f * dx;
            ay += f * dy;
            az += f * dz;
        }
    }
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) {
        ax += __shfl_xor_sync(~0u, ax, d);
        ay += __shfl_xor_sync(~0u, ay, d);
        az += __shfl_xor_sync(~0u, az, d);
    }
    if (lane == 0) acceleration[body] = make_float4(ax, ay, az, 0.0f);
}
