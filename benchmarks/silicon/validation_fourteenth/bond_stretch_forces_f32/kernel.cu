// F = -k (r - r0) along the bond; stiffness and length come from a table of kinds.
constexpr int ATOMS = 262144;

__device__ __forceinline__ float4 position(const float* __restrict__ pos, int i)
{
    if (PLANES) return make_float4(pos[i], pos[ATOMS + i], pos[2 * ATOMS + i], 0.0f);
    return reinterpret_cast<const float4*>(pos)[i];
}

extern "C" __global__ void __launch_bounds__(THREADS)
bond_stretch_forces_f32(const float* __restrict__ pos, const int2* __restrict__ ends, const unsigned char* __restrict__ kind,
                        const float2* __restrict__ params, float* __restrict__ force)
{
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
    int2 e[EACH];
    float4 a[EACH], b[EACH];
    float2 p[EACH];
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        e[i] = ends[first + i * THREADS];
        p[i] = params[kind[first + i * THREADS]];
    }
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        a[i] = position(pos, e[i].x);
        b[i] = position(pos, e[i].y);
    }
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const float dx = b[i].x - a[i].x, dy = b[i].y - a[i].y, dz = b[i].z - a[i].z, r2 = dx * dx + dy * dy + dz * dz + 1e-12f;
        const float f = FAST ? p[i].x * (1.0f - p[i].y * rsqrtf(r2)) : p[i].x * (1.0f - p[i].y / sqrtf(r2));
        const float d[3] = {f * dx, f * dy, f * dz};
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            atomicAdd(force + (PLANES ? k * ATOMS + e[i].x : e[i].x * 4 + k), d[k]);
            atomicAdd(force + (PLANES ? k * ATOMS + e[i].y : e[i].y * 4 + k), -d[k]);
        }
    }
}
