// Lennard-Jones forces of 65,536 atoms. The list holds distances of indices: a neighbour is one of the 4,096
// atoms that follow in memory. Positions are FP32; with DOUBLES everything is computed in FP64.
#if DOUBLES
typedef double real;
#else
typedef float real;
#endif

extern "C" __global__ void lennard_jones(const float4* __restrict__ where, const int* __restrict__ list,
                                         float4* __restrict__ force, float cutoff)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const float4 mine = where[i];
    const real px = mine.x, py = mine.y, pz = mine.z, limit = (real)cutoff * (real)cutoff;
    real fx = 0, fy = 0, fz = 0;
    for (int n = 0; n < NEIGHBOURS; n++) {
        const int j = (i + 1 + list[BY_ATOM ? i * NEIGHBOURS + n : n * 65536 + i]) & 65535;
        const float4 other = where[j];
        const real dx = px - (real)other.x, dy = py - (real)other.y, dz = pz - (real)other.z;
        const real r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < limit) {
            const real inv2 = (real)1 / (r2 + (real)0.001), inv6 = inv2 * inv2 * inv2;
            const real f = inv2 * inv6 * ((real)1.5 * inv6 - (real)2.0);
            fx += dx * f;
            fy += dy * f;
            fz += dz * f;
        }
    }
    force[i] = make_float4((float)fx, (float)fy, (float)fz, 0.0f);
}
