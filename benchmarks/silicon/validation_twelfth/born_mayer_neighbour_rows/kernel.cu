// Forces of ions by exponential repulsion and screened charges over lists of 64 neighbours, LANES lanes an ion, lists by ions or transposed.
constexpr int IONS = 65536, NEIGHBOURS = 64;

extern "C" __global__ void __launch_bounds__(THREADS)
born_mayer_neighbour_rows(const float4* __restrict__ ion, const int* __restrict__ list, float4* __restrict__ force)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, own = id / LANES, lane = id % LANES;
    const float4 p = ion[own];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f, energy = 0.0f;
#pragma unroll 4
    for (int k = lane; k < NEIGHBOURS; k += LANES) {
        const float4 q = ion[TRANSPOSED ? list[k * IONS + own] : list[own * NEIGHBOURS + k]];
        float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
        dx -= rintf(dx);
        dy -= rintf(dy);
        dz -= rintf(dz);
        const float d = dx * dx + dy * dy + dz * dz + 1.0e-6f, r = rsqrtf(d), far = d * r;
        const float repulsion = FAST ? __expf(-far * 12.0f) : expf(-far * 12.0f), screen = FAST ? __expf(-far * far * 4.0f) : erfcf(far * 2.0f);
        const float charge = p.w * q.w * r * screen, f = d < 0.25f ? (12.0f * repulsion + charge * r) * r : 0.0f;
        fx += f * dx;
        fy += f * dy;
        fz += f * dz;
        energy += d < 0.25f ? repulsion + charge : 0.0f;
    }
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) {
        fx += __shfl_xor_sync(~0u, fx, d);
        fy += __shfl_xor_sync(~0u, fy, d);
        fz += __shfl_xor_sync(~0u, fz, d);
        energy += __shfl_xor_sync(~0u, energy, d);
    }
    if (lane == 0) force[own] = make_float4(fx, fy, fz, energy);
}
