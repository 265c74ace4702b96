// Decoding attention over keys and values in int8 with a scale a token. The query is int8, too, and its products are
// made by dp4a, or it is FP32. A block takes a stretch of a head's keys: scores, their softmax, then the values.
constexpr int SEQ = 1024, CHUNK = SEQ / SPLITS, LANES = HEAD / 16, GROUPS = THREADS / LANES, WARPS = THREADS / 32;
constexpr int WORDS = HEAD / 4, PARTS = THREADS / WORDS;

extern "C" __global__ void __launch_bounds__(THREADS)
kv8_decode(const uint4* __restrict__ q, const uint4* __restrict__ keys, const float* __restrict__ key_scale,
           const unsigned* __restrict__ values, const float* __restrict__ value_scale, float4* __restrict__ partial,
           float2* __restrict__ partial_ml)
{
    __shared__ float weight[CHUNK], reduce[WARPS];
    __shared__ float4 sums[PARTS][WORDS];
    const int head = blockIdx.y, first = blockIdx.x * CHUNK, t = threadIdx.x, lane = t % LANES;
    const size_t token0 = (size_t)head * SEQ + first;
    const uint4 packed = q[head * LANES + lane];
    const unsigned qw[4] = {packed.x, packed.y, packed.z, packed.w};
#if !DP4A
    float qf[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) qf[i] = (float)(signed char)(qw[i / 4] >> i % 4 * 8);
#endif
    float top = -1e30f;
#pragma unroll 2
    for (int key = t / LANES; key < CHUNK; key += GROUPS) {
        const uint4 k4 = keys[(token0 + key) * LANES + lane];
        const unsigned kw[4] = {k4.x, k4.y, k4.z, k4.w};
#if DP4A
        int dot = 0;
#pragma unroll
        for (int i = 0; i < 4; ++i) dot = __dp4a((int)qw[i], (int)kw[i], dot);
#pragma unroll
        for (int d = LANES / 2; d > 0; d >>= 1) dot += __shfl_xor_sync(0xffffffff, dot, d);
#else
        float dot = 0.0f;
#pragma unroll
        for (int i = 0; i < 16; ++i) dot += qf[i] * (float)(signed char)(kw[i / 4] >> i % 4 * 8);
#pragma unroll
        for (int d = LANES / 2; d > 0; d >>= 1) dot += __shfl_xor_sync(0xffffffff, dot, d);
#endif
        const float s = (float)dot * key_scale[token0 + key] * 1e-5f;
        if (lane == 0) weight[key] = s;
        top = fmaxf(top, s);
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));
    if (t % 32 == 0) reduce[t / 32] = top;
    __syncthreads();
#pragma unroll
    for (int w = 0; w < WARPS; ++w) top = fmaxf(top, reduce[w]);
    __syncthreads();
    float sum = 0.0f;
    for (int key = t; key < CHUNK; key += THREADS) {
        const float p = __expf(weight[key] - top);
        sum += p;
        weight[key] = p * value_scale[token0 + key];
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (t % 32 == 0) reduce[t / 32] = sum;
    __syncthreads();
    const int word = t % WORDS, part = t / WORDS;
    float4 acc = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 4
    for (int key = part; key < CHUNK; key += PARTS) {
        const unsigned v = values[(token0 + key) * WORDS + word];
        const float p = weight[key];
        acc.x += p * (float)(signed char)v;
        acc.y += p * (float)(signed char)(v >> 8);
        acc.z += p * (float)(signed char)(v >> 16);
        acc.w += p * (float)(signed char)(v >> 24);
    }
    sums[part][word] = acc;
    __syncthreads();
    if (t < WORDS) {
        for (int p = 1; p < PARTS; ++p) {
            acc.x += sums[p][t].x;
            acc.y += sums[p][t].y;
            acc.z += sums[p][t].z;
            acc.w += sums[p][t].w;
        }
        partial[((size_t)head * SPLITS + blockIdx.x) * WORDS + t] = acc;
    }
    if (t == 0) {
        float total = 0.0f;
        for (int w = 0; w < WARPS; ++w) total += reduce[w];
        partial_ml[head * SPLITS + blockIdx.x] = make_float2(top, total);
    }
}
