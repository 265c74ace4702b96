// Vorticity and the Q criterion from central differences of a velocity; parts in planes or together as float4.
constexpr int N = 192, P = N + 2;
constexpr int BYY = 128 / BX;

extern "C" __global__ void __launch_bounds__(128)
vorticity3d_q_criterion(const float* __restrict__ velocity, float* __restrict__ q, float* __restrict__ vorticity)
{
    const int x = blockIdx.x * BX + threadIdx.x + 1, y = blockIdx.y * BYY + threadIdx.y + 1, z0 = blockIdx.z * ZRUN + 1;
    constexpr int S = P * P;
    auto get = [&](int i) {
        if (TOGETHER) return reinterpret_cast<const float4*>(velocity)[i];
        return make_float4(velocity[i], velocity[i + S * P], velocity[i + 2 * S * P], 0.0f);
    };
    float4 below = get((z0 - 1) * S + y * P + x), here = get(z0 * S + y * P + x);
#pragma unroll 1
    for (int z = z0; z < z0 + ZRUN; ++z) {
        const int i = z * S + y * P + x;
        const float4 above = get(i + S), l = get(i - 1), r = get(i + 1), f = get(i - P), b = get(i + P);
        const float ux = r.x - l.x, vx = r.y - l.y, wx = r.z - l.z, uy = b.x - f.x, vy = b.y - f.y, wy = b.z - f.z;
        const float uz = above.x - below.x, vz = above.y - below.y, wz = above.z - below.z;
        const float ox = wy - vz, oy = uz - wx, oz = vx - uy;
        const int o = ((z - 1) * N + y - 1) * N + x - 1;
        q[o] = -0.125f * (ux * ux + vy * vy + wz * wz) - 0.25f * (uy * vx + uz * wx + vz * wy);
        vorticity[o] = 0.5f * sqrtf(ox * ox + oy * oy + oz * oz);
        below = here;
        here = above;
    }
}
