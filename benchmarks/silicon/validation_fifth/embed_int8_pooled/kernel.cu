// Pooled embeddings of 128 numbers from rows of unsigned bytes; a lane has 128 / LANES of them.
constexpr int WORDS = 32 / LANES;

struct alignas(WORDS * 4) Part { unsigned w[WORDS]; };

extern "C" __global__ void __launch_bounds__(128)
embed_int8_pooled(const int* __restrict__ indices, const Part* __restrict__ table, const float2* __restrict__ scales,
                  float4* __restrict__ out)
{
    const int thread = blockIdx.x * 128 + threadIdx.x, bag = thread / LANES, lane = thread % LANES;
    float4 sum[WORDS] = {};
#pragma unroll UNROLL
    for (int i = 0; i < BAG; ++i) {
        const int row = indices[bag * BAG + i];
        const float2 s = scales[row];
        const Part p = table[row * LANES + lane];
#pragma unroll
        for (int k = 0; k < WORDS; ++k) {
            sum[k].x += (p.w[k] & 255) * s.x + s.y;
            sum[k].y += (p.w[k] >> 8 & 255) * s.x + s.y;
            sum[k].z += (p.w[k] >> 16 & 255) * s.x + s.y;
            sum[k].w += (p.w[k] >> 24) * s.x + s.y;
        }
    }
    constexpr float mean = 1.0f / BAG;
#pragma unroll
    for (int k = 0; k < WORDS; ++k)
        out[bag * 32 + lane * WORDS + k] =
            make_float4(sum[k].x * mean, sum[k].y * mean, sum[k].z * mean, sum[k].w * mean);
}
