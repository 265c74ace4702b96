// Threads of a row have 32 * EACH bodies; row p takes every PARTS-th source.
constexpr int N = 8192;

extern "C" __global__ void __launch_bounds__(32 * PARTS)
nbody_f32_sources_by_rows(const float* __restrict__ bodies, float4* __restrict__ acc)
{
    constexpr int U = UNROLL;
    __shared__ float sums[PARTS][3][EACH][32];
    const int tx = threadIdx.x, ty = threadIdx.y, first = blockIdx.x * 32 * EACH + tx;
    auto body = [&](int i) {
        if (PLANES) return make_float4(bodies[i], bodies[N + i], bodies[2 * N + i], bodies[3 * N + i]);
        return reinterpret_cast<const float4*>(bodies)[i];
    };
    float4 own[EACH];
    float3 a[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        own[e] = body(first + e * 32);
        a[e] = make_float3(0.0f, 0.0f, 0.0f);
    }
#pragma unroll U
    for (int j = ty; j < N; j += PARTS) {
        const float4 b = body(j);
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const float dx = b.x - own[e].x, dy = b.y - own[e].y, dz = b.z - own[e].z;
            const float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f), f = b.w * inv * inv * inv;
            a[e].x += f * dx;
            a[e].y += f * dy;
            a[e].z += f * dz;
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        sums[ty][0][e][tx] = a[e].x;
        sums[ty][1][e][tx] = a[e].y;
        sums[ty][2][e][tx] = a[e].z;
    }
    __syncthreads();
    if (ty < EACH) {
        float r[3] = {};
#pragma unroll
        for (int p = 0; p < PARTS; ++p)
#pragma unroll
            for (int k = 0; k < 3; ++k) r[k] += sums[p][k][ty][tx];
        acc[first + ty * 32] = make_float4(r[0], r[1], r[2], 0.0f);
    }
}
