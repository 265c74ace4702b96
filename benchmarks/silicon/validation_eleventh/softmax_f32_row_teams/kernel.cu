// A row belongs to a team of warps; its numbers stay in registers between the passes.
constexpr int ROWS = 8 / TEAM, OWN = COLS / (32 * TEAM * VEC);
struct alignas(VEC * 4) Pack { float v[VEC]; };

__device__ __forceinline__ float warp_max(float x)
{
#pragma unroll
    for (int d = 16; d; d >>= 1) x = fmaxf(x, __shfl_xor_sync(~0u, x, d));
    return x;
}

__device__ __forceinline__ float warp_sum(float x)
{
#pragma unroll
    for (int d = 16; d; d >>= 1) x += __shfl_xor_sync(~0u, x, d);
    return x;
}

extern "C" __global__ void __launch_bounds__(256)
softmax_f32_row_teams(const Pack* __restrict__ x, Pack* __restrict__ y)
{
    __shared__ float tops[8], sums[8];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, team = warp / TEAM, part = warp % TEAM;
    const size_t base = (size_t)(blockIdx.x * ROWS + team) * (COLS / VEC) + part * 32 + lane;
    Pack p[OWN];
    float top = -1.0e30f, sum = 0.0f;
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
        p[i] = x[base + i * 32 * TEAM];
#pragma unroll
        for (int j = 0; j < VEC; ++j) top = fmaxf(top, p[i].v[j]);
    }
    top = warp_max(top);
    if (TEAM > 1) {
        if (lane == 0) tops[warp] = top;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TEAM; ++i) top = fmaxf(top, tops[team * TEAM + i]);
    }
#pragma unroll
    for (int i = 0; i < OWN; ++i)
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            p[i].v[j] = __expf(p[i].v[j] - top);
            sum += p[i].v[j];
        }
    sum = warp_sum(sum);
    if (TEAM > 1) {
        if (lane == 0) sums[warp] = sum;
        __syncthreads();
        sum = 0.0f;
#pragma unroll
        for (int i = 0; i < TEAM; ++i) sum += sums[team * TEAM + i];
    }
    const float by = 1.0f / sum;
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
#pragma unroll
        for (int j = 0; j < VEC; ++j) p[i].v[j] *= by;
        y[base + i * 32 * TEAM] = p[i];
    }
}
