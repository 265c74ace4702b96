// Hermite scheme of fourth order; sums of the eight parts of the sources are kept apart.
constexpr int U = UNROLL;

extern "C" __global__ void __launch_bounds__(THREADS)
nbody_hermite_jerk(const float4* __restrict__ place, const float4* __restrict__ speed, float4* __restrict__ acceleration,
                   float4* __restrict__ jerk)
{
    __shared__ float4 ps[THREADS], vs[THREADS];
    float4 p[EACH], v[EACH], a[EACH], j[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        p[e] = place[(blockIdx.x * EACH + e) * THREADS + threadIdx.x];
        v[e] = speed[(blockIdx.x * EACH + e) * THREADS + threadIdx.x];
        a[e] = j[e] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
#pragma unroll 1
    for (int s0 = blockIdx.y * 1024; s0 < blockIdx.y * 1024 + 1024; s0 += THREADS) {
        __syncthreads();
        ps[threadIdx.x] = place[s0 + threadIdx.x];
        vs[threadIdx.x] = speed[s0 + threadIdx.x];
        __syncthreads();
#pragma unroll U
        for (int s = 0; s < THREADS; ++s) {
            const float4 q = ps[s], w = vs[s];
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                const float x = q.x - p[e].x, y = q.y - p[e].y, z = q.z - p[e].z;
                const float dx = w.x - v[e].x, dy = w.y - v[e].y, dz = w.z - v[e].z;
                const float i = rsqrtf(x * x + y * y + z * z + 1.0e-4f), i2 = i * i, m = q.w * i * i2;
                const float alpha = -3.0f * i2 * (x * dx + y * dy + z * dz);
                a[e].x += m * x;
                a[e].y += m * y;
                a[e].z += m * z;
                j[e].x += m * (dx + alpha * x);
                j[e].y += m * (dy + alpha * y);
                j[e].z += m * (dz + alpha * z);
            }
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int to = blockIdx.y * 8192 + (blockIdx.x * EACH + e) * THREADS + threadIdx.x;
        acceleration[to] = a[e];
        jerk[to] = j[e];
    }
}
