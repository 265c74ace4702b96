// 1,048,576 particles in a periodic square of side one, Boris' rotation; positions and velocities are updated in place.
constexpr int COUNT = 1048576;

__device__ __forceinline__ void add(float3& s, float w, float4 f)
{
    s.x += w * f.x;
    s.y += w * f.y;
    s.z += w * f.z;
}

extern "C" __global__ void __launch_bounds__(256)
boris_push_cells(float* __restrict__ particles, const float4* __restrict__ electric, const float4* __restrict__ magnetic)
{
#pragma unroll
    for (int n = 0; n < EACH; ++n) {
        const int i = (blockIdx.x * EACH + n) * 256 + threadIdx.x;
        float f[6];
        if (TOGETHER) {
#pragma unroll
            for (int k = 0; k < 6; k += 2) {
                const float2 p = *reinterpret_cast<const float2*>(particles + i * 6 + k);
                f[k] = p.x;
                f[k + 1] = p.y;
            }
        } else {
#pragma unroll
            for (int k = 0; k < 6; ++k) f[k] = particles[k * COUNT + i];
        }
        float3 e = make_float3(0.0f, 0.0f, 0.0f), b = e;
        const float gx = f[0] * SIDE, gy = f[1] * SIDE;
        const int cx = (int)gx & SIDE - 1, cy = (int)gy & SIDE - 1;
        if (BILINEAR) {
            const float wx = gx - floorf(gx), wy = gy - floorf(gy);
            const int nx = cx + 1 & SIDE - 1, ny = cy + 1 & SIDE - 1;
            const int at[4] = {cy * SIDE + cx, cy * SIDE + nx, ny * SIDE + cx, ny * SIDE + nx};
            const float w[4] = {(1.0f - wx) * (1.0f - wy), wx * (1.0f - wy), (1.0f - wx) * wy, wx * wy};
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                add(e, w[k], electric[at[k]]);
                add(b, w[k], magnetic[at[k]]);
            }
        } else {
            add(e, 1.0f, electric[cy * SIDE + cx]);
            add(b, 1.0f, magnetic[cy * SIDE + cx]);
        }
        const float h = 0.01f, tx = b.x * h, ty = b.y * h, tz = b.z * h, s = 2.0f / (1.0f + tx * tx + ty * ty + tz * tz);
        const float ux = f[3] + (e.x - 0.5f) * h, uy = f[4] + (e.y - 0.5f) * h, uz = f[5] + (e.z - 0.5f) * h;
        const float px = ux + uy * tz - uz * ty, py = uy + uz * tx - ux * tz, pz = uz + ux * ty - uy * tx;
        f[3] = ux + (py * tz - pz * ty) * s + (e.x - 0.5f) * h;
        f[4] = uy + (pz * tx - px * tz) * s + (e.y - 0.5f) * h;
        f[5] = uz + (px * ty - py * tx) * s + (e.z - 0.5f) * h;
        f[0] += f[3] * 0.001f;
        f[1] += f[4] * 0.001f;
        f[2] += f[5] * 0.001f;
        f[0] -= floorf(f[0]);
        f[1] -= floorf(f[1]);
        if (TOGETHER) {
#pragma unroll
            for (int k = 0; k < 6; k += 2) *reinterpret_cast<float2*>(particles + i * 6 + k) = make_float2(f[k], f[k + 1]);
        } else {
#pragma unroll
            for (int k = 0; k < 6; ++k) particles[k * COUNT + i] = f[k];
        }
    }
}
