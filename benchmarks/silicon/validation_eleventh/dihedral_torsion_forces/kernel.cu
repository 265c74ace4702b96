// Forces of dihedral angles of four random atoms each; they are added by atomics of one number or of four.
__device__ __forceinline__ float3 minus(const float4& a, const float4& b)
{
    return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}

__device__ __forceinline__ float dot(const float3& a, const float3& b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

__device__ __forceinline__ float3 cross(const float3& a, const float3& b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

__device__ __forceinline__ void add(float4* force, int atom, float x, float y, float z)
{
    if (WHOLE) {
        atomicAdd(force + atom, make_float4(x, y, z, 0.0f));
    } else {
        float* f = reinterpret_cast<float*>(force + atom);
        atomicAdd(f, x);
        atomicAdd(f + 1, y);
        atomicAdd(f + 2, z);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
dihedral_torsion_forces(const int4* __restrict__ quads, const float4* __restrict__ atoms, const float2* __restrict__ params, float4* __restrict__ force)
{
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int id = (blockIdx.x * EACH + e) * THREADS + threadIdx.x;
        const int4 q = quads[id];
        const float4 a = atoms[q.x], b = atoms[q.y], c = atoms[q.z], d = atoms[q.w];
        const float2 p = params[id];
        const float3 r1 = minus(b, a), r2 = minus(c, b), r3 = minus(d, c), m = cross(r1, r2), n = cross(r2, r3);
        const float len2 = dot(r2, r2) + 1.0e-6f, mm = dot(m, m) + 1.0e-6f, nn = dot(n, n) + 1.0e-6f, len = sqrtf(len2);
        const float phi = atan2f(len * dot(r1, n), dot(m, n));
        const float slope = 3.0f * p.x * (FAST ? __sinf(3.0f * phi - p.y) : sinf(3.0f * phi - p.y));
        const float fa = -slope * len / mm, fd = slope * len / nn, t = dot(r1, r2) / len2, u = dot(r3, r2) / len2;
        const float ax = fa * m.x, ay = fa * m.y, az = fa * m.z, dx = fd * n.x, dy = fd * n.y, dz = fd * n.z;
        const float bx = -(1.0f + t) * ax + u * dx, by = -(1.0f + t) * ay + u * dy, bz = -(1.0f + t) * az + u * dz;
        add(force, q.x, ax, ay, az);
        add(force, q.y, bx, by, bz);
        add(force, q.z, -ax - bx - dx, -ay - by - dy, -az - bz - dz);
        add(force, q.w, dx, dy, dz);
    }
}
