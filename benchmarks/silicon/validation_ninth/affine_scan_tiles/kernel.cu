// y[i] = b of the composition of the maps v -> a v + b up to i; a thread has ITEMS neighbouring maps.
constexpr int THREADS = 2048 / ITEMS, WARPS = THREADS / 32;

__device__ __forceinline__ float2 then(float2 first, float2 next)
{
    return make_float2(first.x * next.x, next.x * first.y + next.y);
}

extern "C" __global__ void __launch_bounds__(THREADS)
affine_scan_tiles(const float2* __restrict__ x, float* __restrict__ y)
{
    __shared__ float2 tile[EXCHANGE ? 2048 + 2048 / 16 : 1], ends[2][THREADS];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, base = blockIdx.x * 2048;
    float2 v[ITEMS];
    if (EXCHANGE) {
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int at = i * THREADS + t;
            tile[at + at / 16] = x[base + at];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) v[i] = tile[t * ITEMS + i + (t * ITEMS + i) / 16];
    } else {
#pragma unroll
        for (int i = 0; i < ITEMS; i += 2) {
            const float4 p = reinterpret_cast<const float4*>(x)[(base + t * ITEMS + i) / 2];
            v[i] = make_float2(p.x, p.y);
            v[i + 1] = make_float2(p.z, p.w);
        }
    }
#pragma unroll
    for (int i = 1; i < ITEMS; ++i) v[i] = then(v[i - 1], v[i]);
    float2 all = v[ITEMS - 1], before = make_float2(1.0f, 0.0f);
    if (SHUFFLES) {
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const float2 o = make_float2(__shfl_up_sync(~0u, all.x, d), __shfl_up_sync(~0u, all.y, d));
            if (lane >= d) all = then(o, all);
        }
        if (lane == 31) ends[0][warp] = all;
        before = make_float2(__shfl_up_sync(~0u, all.x, 1), __shfl_up_sync(~0u, all.y, 1));
        if (lane == 0) before = make_float2(1.0f, 0.0f);
        __syncthreads();
        float2 left = make_float2(1.0f, 0.0f);
#pragma unroll 8
        for (int w = 0; w < warp; ++w) left = then(left, ends[0][w]);
        before = then(left, before);
    } else {
        int turn = 0;
        ends[0][t] = all;
        __syncthreads();
#pragma unroll 1
        for (int d = 1; d < THREADS; d *= 2, turn ^= 1) {
            if (t >= d) all = then(ends[turn][t - d], all);
            ends[turn ^ 1][t] = all;
            __syncthreads();
        }
        if (t > 0) before = ends[turn][t - 1];
    }
    float r[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) r[i] = v[i].x * before.y + v[i].y;
    if (EXCHANGE) {
        float* flat = reinterpret_cast<float*>(tile);
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) flat[t * ITEMS + i + (t * ITEMS + i) / 32] = r[i];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int at = i * THREADS + t;
            y[base + at] = flat[at + at / 32];
        }
    } else {
#pragma unroll
        for (int i = 0; i < ITEMS; i += 2)
            reinterpret_cast<float2*>(y)[(base + t * ITEMS + i) / 2] = make_float2(r[i], r[i + 1]);
    }
}
