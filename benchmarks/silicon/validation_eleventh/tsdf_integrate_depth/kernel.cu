// A depth image of 640 x 480 is merged into a volume of 256 voxels a side; a thread goes along z. A voxel is a pair of
// floats (0) or of short integers (1).
constexpr int N = 256;

extern "C" __global__ void __launch_bounds__(BX * 128 / BX)
tsdf_integrate_depth(const float* __restrict__ depth, void* __restrict__ volume)
{
    const int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * (128 / BX) + threadIdx.y, z0 = blockIdx.z * ZRUN;
    const float px = (x + 0.5f) * (1.0f / N) - 0.5f, py = (y + 0.5f) * (1.0f / N) - 0.5f;
#pragma unroll 2
    for (int z = z0; z < z0 + ZRUN; ++z) {
        const float pz = 0.4f + (z + 0.5f) * (0.8f / N), by = __fdividef(1.0f, pz);
        const int u = __float2int_rn(525.0f * px * by + 320.0f), v = __float2int_rn(525.0f * py * by + 240.0f);
        if (u < 0 || u >= 640 || v < 0 || v >= 480) continue;
        const float d = depth[v * 640 + u];
        const float sdf = d - pz;
        if (d <= 0.0f || sdf < -0.1f) continue;
        const float t = fminf(1.0f, sdf * 10.0f);
        const int at = (z * N + y) * N + x;
        if (PACKED) {
            short2* to = reinterpret_cast<short2*>(volume) + at;
            const short2 old = *to;
            const int w = min(old.y + 1, 64);
            const float f = __fdividef(old.x * (1.0f / 32767.0f) * old.y + t, old.y + 1.0f);
            short2 s;
            s.x = __float2int_rn(fmaxf(-1.0f, fminf(1.0f, f)) * 32767.0f);
            s.y = w;
            *to = s;
        } else {
            float2* to = reinterpret_cast<float2*>(volume) + at;
            const float2 old = *to;
            *to = make_float2(__fdividef(old.x * old.y + t, old.y + 1.0f), fminf(old.y + 1.0f, 64.0f));
        }
    }
}
