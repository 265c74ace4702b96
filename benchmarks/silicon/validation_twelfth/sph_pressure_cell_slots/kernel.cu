// Pressure forces of smoothed particles in cells of 16 slots; a block has a cell, SPLIT threads a particle, neighbours' particles in shared memory or not.
constexpr int G = 32, DEPTH = 16, SLOTS = 16, THREADS = SLOTS * SPLIT * CELLS;

extern "C" __global__ void __launch_bounds__(THREADS)
sph_pressure_cell_slots(const float4* __restrict__ particle, const float2* __restrict__ state, float4* __restrict__ force)
{
    alignas(16) __shared__ float4 place[STAGED ? CELLS : 1][STAGED ? SLOTS : 1];
    __shared__ float2 values[STAGED ? CELLS : 1][STAGED ? SLOTS : 1];
    const int local = threadIdx.x / (SLOTS * SPLIT), slot = threadIdx.x / SPLIT % SLOTS, part = threadIdx.x % SPLIT;
    const int cell = blockIdx.x * CELLS + local, cx = cell % G, cy = cell / G % G, cz = cell / G / G;
    const float4 p = particle[cell * SLOTS + slot];
    const float2 s = state[cell * SLOTS + slot];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
#pragma unroll 1
    for (int n = 0; n < 27; ++n) {
        const int ox = n % 3 - 1, oy = n / 3 % 3 - 1, oz = n / 9 - 1;
        const int other = ((cz + oz & DEPTH - 1) * G + (cy + oy & G - 1)) * G + (cx + ox & G - 1);
        if (STAGED) {
            __syncthreads();
            if (part == 0) {
                place[STAGED ? local : 0][STAGED ? slot : 0] = particle[other * SLOTS + slot];
                values[STAGED ? local : 0][STAGED ? slot : 0] = state[other * SLOTS + slot];
            }
            __syncthreads();
        }
#pragma unroll 4
        for (int k = part; k < SLOTS; k += SPLIT) {
            const float4 q = STAGED ? place[STAGED ? local : 0][STAGED ? k : 0] : particle[other * SLOTS + k];
            const float2 t = STAGED ? values[STAGED ? local : 0][STAGED ? k : 0] : state[other * SLOTS + k];
            const float dx = p.x - q.x - ox, dy = p.y - q.y - oy, dz = p.z - q.z - oz, d = dx * dx + dy * dy + dz * dz;
            if (d < 1.0f && d > 0.0f) {
                const float r = rsqrtf(d), near = 1.0f - d * r, w = q.w * (s.y + t.y) * __fdividef(near * near, s.x + t.x + 0.1f) * r;
                fx += w * dx;
                fy += w * dy;
                fz += w * dz;
            }
        }
    }
#pragma unroll
    for (int d = SPLIT / 2; d; d >>= 1) {
        fx += __shfl_xor_sync(~0u, fx, d);
        fy += __shfl_xor_sync(~0u, fy, d);
        fz += __shfl_xor_sync(~0u, fz, d);
    }
    if (part == 0) force[cell * SLOTS + slot] = make_float4(fx, fy, fz, s.y);
}
