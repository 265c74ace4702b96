// Harmonic angles of three random atoms each; MODE 0 is planes, 1 single numbers of structures, 2 whole structures.
constexpr int ATOMS = 65536;

__device__ __forceinline__ void push(float* force, int i, float x, float y, float z)
{
    if (MODE == 0) {
        atomicAdd(force + i, x);
        atomicAdd(force + ATOMS + i, y);
        atomicAdd(force + 2 * ATOMS + i, z);
    } else if (MODE == 1) {
        atomicAdd(force + 4 * i, x);
        atomicAdd(force + 4 * i + 1, y);
        atomicAdd(force + 4 * i + 2, z);
    } else {
        atomicAdd(reinterpret_cast<float4*>(force) + i, make_float4(x, y, z, 0.0f));
    }
}

extern "C" __global__ void __launch_bounds__(128)
angle_forces_red(const int4* __restrict__ atoms, const float4* __restrict__ at, float* __restrict__ force)
{
    int4 a[EACH];
    float4 p[EACH][3];
#pragma unroll
    for (int e = 0; e < EACH; ++e) a[e] = atoms[(blockIdx.x * EACH + e) * 128 + threadIdx.x];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        p[e][0] = at[a[e].x];
        p[e][1] = at[a[e].y];
        p[e][2] = at[a[e].z];
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const float ux = p[e][0].x - p[e][1].x, uy = p[e][0].y - p[e][1].y, uz = p[e][0].z - p[e][1].z;
        const float vx = p[e][2].x - p[e][1].x, vy = p[e][2].y - p[e][1].y, vz = p[e][2].z - p[e][1].z;
        const float ru = rsqrtf(ux * ux + uy * uy + uz * uz + 1.0e-6f), rv = rsqrtf(vx * vx + vy * vy + vz * vz + 1.0e-6f);
        const float c = fminf(fmaxf((ux * vx + uy * vy + uz * vz) * ru * rv, -0.999f), 0.999f);
        const float under = 1.0f - c * c;
        float strength;
        if (FAST) {
            const float m = fabsf(c);  // a polynomial for the arc cosine
            float angle = under * rsqrtf(1.0f + m) * rsqrtf(under) * (1.5707288f + m * (-0.2121144f + m * (0.0742610f - m * 0.0187293f)));
            if (c < 0.0f) angle = 3.14159265f - angle;
            strength = 2.0f * (angle - 1.9f) * rsqrtf(under);
        } else {
            strength = 2.0f * (acosf(c) - 1.9f) / sqrtf(under);
        }
        const float fu = strength * ru, fv = strength * rv;
        const float ax = fu * (vx * rv - c * ux * ru), ay = fu * (vy * rv - c * uy * ru), az = fu * (vz * rv - c * uz * ru);
        const float bx = fv * (ux * ru - c * vx * rv), by = fv * (uy * ru - c * vy * rv), bz = fv * (uz * ru - c * vz * rv);
        push(force, a[e].x, ax, ay, az);
        push(force, a[e].y, -ax - bx, -ay - by, -az - bz);
        push(force, a[e].z, bx, by, bz);
    }
}
