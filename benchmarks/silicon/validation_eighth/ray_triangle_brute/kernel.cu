// 65,536 rays, Moeller-Trumbore. A triangle has 12 numbers (a corner and two edges, padded to four), or nine planes.
constexpr int COUNT = 512, RAYS_ALL = 65536;

__device__ __forceinline__ float3 cross(float3 a, float3 b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
__device__ __forceinline__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ __forceinline__ float3 corner(const float* from, int i, int k)
{
    if (PLANES) return make_float3(from[k * 3 * COUNT + i], from[(k * 3 + 1) * COUNT + i], from[(k * 3 + 2) * COUNT + i]);
    const float4 f = *reinterpret_cast<const float4*>(from + i * 12 + k * 4);
    return make_float3(f.x, f.y, f.z);
}

extern "C" __global__ void __launch_bounds__(128)
ray_triangle_brute(const float* __restrict__ triangles, const float* __restrict__ origins, const float* __restrict__ ends,
                   float* __restrict__ distance, int* __restrict__ hit)
{
    __shared__ __align__(16) float s[STAGED ? COUNT * 12 : 4];
    const float* from = triangles;
    if (STAGED) {
        for (int i = threadIdx.x; i < COUNT * 12; i += 128) s[i] = triangles[i];
        __syncthreads();
        from = s;
    }
    float3 o[RAYS], d[RAYS];
    float best[RAYS];
    int which[RAYS];
    const int first = blockIdx.x * 128 * RAYS + threadIdx.x;
#pragma unroll
    for (int r = 0; r < RAYS; ++r) {
        const int i = first + r * 128;
        o[r] = make_float3(origins[i], origins[RAYS_ALL + i], origins[2 * RAYS_ALL + i] - 2.0f);
        d[r] = make_float3(ends[i] - o[r].x, ends[RAYS_ALL + i] - o[r].y, ends[2 * RAYS_ALL + i] + 1.0f - o[r].z);
        best[r] = 1.0e30f;
        which[r] = -1;
    }
#pragma unroll 1
    for (int k = 0; k < COUNT; ++k) {
        const float3 a = corner(from, k, 0), e = corner(from, k, 1), f = corner(from, k, 2);
#pragma unroll
        for (int r = 0; r < RAYS; ++r) {
            const float3 p = cross(d[r], f), t = make_float3(o[r].x - a.x, o[r].y - a.y, o[r].z - a.z);
            const float inverse = __frcp_rn(dot(e, p)), u = dot(t, p) * inverse;
            if (EARLY && (u < 0.0f || u > 1.0f)) continue;
            const float3 q = cross(t, e);
            const float v = dot(d[r], q) * inverse, w = dot(f, q) * inverse;
            if (u >= 0.0f && v >= 0.0f && u + v <= 1.0f && w > 0.0f && w < best[r]) {
                best[r] = w;
                which[r] = k;
            }
        }
    }
#pragma unroll
    for (int r = 0; r < RAYS; ++r) {
        distance[first + r * 128] = best[r];
        hit[first + r * 128] = which[r];
    }
}
