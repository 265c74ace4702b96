// Curl of (u, v, w) with copied borders; differences along a row come from the thread's own numbers and one at each end.
constexpr int N = 192;
struct alignas(VEC * 4) Pack { float f[VEC]; };

__device__ __forceinline__ Pack at(const float* p, int z, int y, int x)
{
    return *reinterpret_cast<const Pack*>(p + (z * N + y) * N + x);
}

extern "C" __global__ void __launch_bounds__(BX * BY)
curl3d_f32_planes(const float* __restrict__ u, const float* __restrict__ v, const float* __restrict__ w,
                  float* __restrict__ a, float* __restrict__ b, float* __restrict__ c)
{
    const int x = (blockIdx.x * BX + threadIdx.x) * VEC, y = blockIdx.y * BY + threadIdx.y;
    const int west = max(x - 1, 0), east = min(x + VEC, N - 1), north = max(y - 1, 0), south = min(y + 1, N - 1);
#pragma unroll 1
    for (int z = blockIdx.z * RUN; z < (blockIdx.z + 1) * RUN; ++z) {
        const int down = max(z - 1, 0), up = min(z + 1, N - 1);
        const Pack wn = at(w, z, north, x), ws = at(w, z, south, x), vd = at(v, down, y, x), vu = at(v, up, y, x);
        const Pack ud = at(u, down, y, x), uu = at(u, up, y, x), un = at(u, z, north, x), us = at(u, z, south, x);
        const Pack vh = at(v, z, y, x), wh = at(w, z, y, x);
        const int row = (z * N + y) * N;
        float vr[VEC + 2], wr[VEC + 2];
        vr[0] = v[row + west];
        wr[0] = w[row + west];
        vr[VEC + 1] = v[row + east];
        wr[VEC + 1] = w[row + east];
#pragma unroll
        for (int j = 0; j < VEC; ++j) vr[j + 1] = vh.f[j], wr[j + 1] = wh.f[j];
        Pack oa, ob, oc;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            oa.f[j] = 0.5f * (ws.f[j] - wn.f[j] - vu.f[j] + vd.f[j]);
            ob.f[j] = 0.5f * (uu.f[j] - ud.f[j] - wr[j + 2] + wr[j]);
            oc.f[j] = 0.5f * (vr[j + 2] - vr[j] - us.f[j] + un.f[j]);
        }
        *reinterpret_cast<Pack*>(a + row + x) = oa;
        *reinterpret_cast<Pack*>(b + row + x) = ob;
        *reinterpret_cast<Pack*>(c + row + x) = oc;
    }
}
