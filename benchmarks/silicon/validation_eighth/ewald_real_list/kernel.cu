// 65,536 atoms (position and charge) with 32 neighbours each at random.
constexpr int ATOMS = 65536, NEAR = 32;

extern "C" __global__ void __launch_bounds__(128)
ewald_real_list(const float4* __restrict__ atoms, const int* __restrict__ list, float4* __restrict__ force, float alpha)
{
    const int i = blockIdx.x * 128 + threadIdx.x, atom = i / LANES, lane = i % LANES;
    const float4 me = atoms[atom];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f, energy = 0.0f;
#pragma unroll 2
    for (int k = lane; k < NEAR; k += LANES) {
        const float4 o = atoms[list[BY_ATOM ? atom * NEAR + k : k * ATOMS + atom]];
        const float dx = me.x - o.x, dy = me.y - o.y, dz = me.z - o.z, q = me.w * o.w;
        const float r2 = dx * dx + dy * dy + dz * dz + 1.0e-4f, ir = rsqrtf(r2), ar = alpha * r2 * ir;
        const float e = __expf(-ar * ar);
        float c;
        if (EXACT) {
            c = erfcf(ar);
        } else {
            const float t = __fdividef(1.0f, 1.0f + 0.3275911f * ar);
            c = t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f)))) * e;
        }
        const float v = q * c * ir, f = (v + q * 1.12837917f * alpha * e) * ir * ir;
        energy += v;
        fx += f * dx;
        fy += f * dy;
        fz += f * dz;
    }
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) {
        fx += __shfl_xor_sync(~0u, fx, d);
        fy += __shfl_xor_sync(~0u, fy, d);
        fz += __shfl_xor_sync(~0u, fz, d);
        energy += __shfl_xor_sync(~0u, energy, d);
    }
    if (lane == 0) force[atom] = make_float4(fx, fy, fz, energy);
}
