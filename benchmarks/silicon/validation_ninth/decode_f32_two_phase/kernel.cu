// A block has a query: scores of 1,024 keys, their softmax, then the sum of the values.
constexpr int QUADS = DIM / 4, PER = QUADS / LANES, KEYS = THREADS / LANES, WARPS = THREADS / 32, TEAMS = THREADS / QUADS;

extern "C" __global__ void __launch_bounds__(THREADS)
decode_f32_two_phase(const float4* __restrict__ q, const float4* __restrict__ k, const float4* __restrict__ v,
                     float4* __restrict__ out)
{
    __shared__ float score[1024], part[2][WARPS];
    __shared__ float4 sums[TEAMS][QUADS];
    const int lane = threadIdx.x % LANES;
    const size_t base = (size_t)blockIdx.x * 1024 * QUADS;
    float4 w[PER];
#pragma unroll
    for (int i = 0; i < PER; ++i) w[i] = q[blockIdx.x * QUADS + i * LANES + lane];
    float top = -1.0e30f, sum = 0.0f;
#pragma unroll 2
    for (int key = threadIdx.x / LANES; key < 1024; key += KEYS) {
        float s = 0.0f;
#pragma unroll
        for (int i = 0; i < PER; ++i) {
            const float4 p = k[base + key * QUADS + i * LANES + lane];
            s += p.x * w[i].x + p.y * w[i].y + p.z * w[i].z + p.w * w[i].w;
        }
#pragma unroll
        for (int d = LANES / 2; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
        s *= 0.125f;
        if (lane == 0) score[key] = s;
        top = fmaxf(top, s);
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    if (threadIdx.x % 32 == 0) part[0][threadIdx.x / 32] = top;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < WARPS; ++i) top = fmaxf(top, part[0][i]);
#pragma unroll
    for (int i = threadIdx.x; i < 1024; i += THREADS) {
        const float x = __expf(score[i] - top);
        score[i] = x;
        sum += x;
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) part[1][threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0.0f;
#pragma unroll
    for (int i = 0; i < WARPS; ++i) sum += part[1][i];
    const int c = threadIdx.x % QUADS, team = threadIdx.x / QUADS;
    float4 acc = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll AHEAD
    for (int key = team; key < 1024; key += TEAMS) {
        const float4 p = v[base + key * QUADS + c];
        const float x = score[key];
        acc.x += x * p.x, acc.y += x * p.y, acc.z += x * p.z, acc.w += x * p.w;
    }
    sums[team][c] = acc;
    __syncthreads();
    if (team == 0) {
#pragma unroll
        for (int i = 1; i < TEAMS; ++i) {
            const float4 p = sums[i][c];
            acc.x += p.x, acc.y += p.y, acc.z += p.z, acc.w += p.w;
        }
        sum = 1.0f / sum;
        out[blockIdx.x * QUADS + c] = make_float4(acc.x * sum, acc.y * sum, acc.z * sum, acc.w * sum);
    }
}
