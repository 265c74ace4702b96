// Short-range forces by cell lists: a thread holds a particle and goes through the particles of its cell and the 26
// around, cells wrap around. Every cell has room for CAP and holds at least half as many.
constexpr int SIDE = 12, CELLS = SIDE * SIDE * SIDE;

__device__ __forceinline__ int held(unsigned cell) { return CAP / 2 + ((cell * 0x9E3779B1u) >> 20) % (CAP / 2 + 1); }

extern "C" __global__ void cell_list_forces(const float4* __restrict__ particles, float4* __restrict__ forces,
                                            float cutoff2)
{
    const int at = blockIdx.x * THREADS + threadIdx.x, cell = at / CAP, k = at % CAP;
    if (cell >= CELLS || k >= held(cell)) return;
    const int cx = cell % SIDE, cy = cell / SIDE % SIDE, cz = cell / (SIDE * SIDE);
    const float4 me = particles[at];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f, energy = 0.0f;
    for (int n = 0; n < 27; ++n) {
        const int dx = n % 3 - 1, dy = n / 3 % 3 - 1, dz = n / 9 - 1;
        const int nx = (cx + dx + SIDE) % SIDE, ny = (cy + dy + SIDE) % SIDE, nz = (cz + dz + SIDE) % SIDE;
        const int other = (nz * SIDE + ny) * SIDE + nx, many = held(other);
        for (int j = 0; j < many; ++j) {
            const float4 p = particles[other * CAP + j];
            const float x = p.x + dx - me.x, y = p.y + dy - me.y, z = p.z + dz - me.z;
            const float r2 = x * x + y * y + z * z;
            if (r2 < cutoff2 && r2 > 1e-8f) {
                const float i2 = FAST ? __fdividef(1.0f, r2 + 0.05f) : 1.0f / (r2 + 0.05f), i6 = i2 * i2 * i2 * 1e-3f;
                const float f = i6 * (2.0f * i6 - 1.0f) * i2;
                fx -= f * x;
                fy -= f * y;
                fz -= f * z;
                if (ENERGY) energy += i6 * (i6 - 1.0f) + me.w * p.w * rsqrtf(r2);
            }
        }
    }
    forces[at] = make_float4(fx, fy, fz, energy);
}
