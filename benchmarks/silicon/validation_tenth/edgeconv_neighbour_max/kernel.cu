// 64 features; also the place of the maximum, which the gradient needs.
constexpr int LANES = 64 / VEC, U = UNROLL;
struct alignas(VEC * 4) Pack { float v[VEC]; };
struct alignas(VEC * 4) Places { int v[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
edgeconv_neighbour_max(const int* __restrict__ index, const Pack* __restrict__ f, const Pack* __restrict__ bias,
                       Pack* __restrict__ out, Places* __restrict__ which)
{
    const int id = blockIdx.x * 256 + threadIdx.x, point = id / LANES, lane = id % LANES;
    const Pack own = f[point * LANES + lane], b = bias[lane];
    Pack top;
    Places at;
#pragma unroll
    for (int j = 0; j < VEC; ++j) {
        top.v[j] = -1.0e30f;
        at.v[j] = 0;
    }
#pragma unroll U
    for (int i = 0; i < K; ++i) {
        const Pack p = f[index[point * K + i] * LANES + lane];
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const float d = (p.v[j] - own.v[j]) * 0.7f + b.v[j];
            if (d > top.v[j]) {
                top.v[j] = d;
                at.v[j] = i;
            }
        }
    }
#pragma unroll
    for (int j = 0; j < VEC; ++j) top.v[j] = fmaxf(top.v[j], 0.2f * top.v[j]);
    out[id] = top;
    which[id] = at;
}
