// Attention, one query a thread: the query and its sum in registers, a running maximum.
// Keys and values come as broadcasts from memory, or 16 at a time from shared memory.
extern "C" __global__ void attention_thread(const float* __restrict__ q, const float* __restrict__ k,
                                            const float* __restrict__ v, float* __restrict__ output) {
    constexpr int vectors = HEAD_DIM / 4;
    __shared__ float4 sk[SHARED_TILE ? 16 * vectors : 1], sv[SHARED_TILE ? 16 * vectors : 1];
    size_t head = (size_t)blockIdx.y * SEQUENCE * vectors;
    const float4 *mine = (const float4*)q + head + (size_t)(blockIdx.x * BLOCK_SIZE + threadIdx.x) * vectors;
    const float4 *keys = (const float4*)k + head, *values = (const float4*)v + head;
    float4 x[vectors], sum[vectors];
#pragma unroll
    for (int d = 0; d < vectors; ++d) {
        x[d] = mine[d];
        sum[d] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    float top = -1e30f, weight = 0.0f;
    for (int j0 = 0; j0 < SEQUENCE; j0 += 16) {
        if (SHARED_TILE) {
            __syncthreads();
            for (int i = threadIdx.x; i < 16 * vectors; i += BLOCK_SIZE) {
                sk[i] = keys[j0 * vectors + i];
                sv[i] = values[j0 * vectors + i];
            }
            __syncthreads();
        }
        for (int j = 0; j < 16; ++j) {
            const float4* key = SHARED_TILE ? sk + j * vectors : keys + (j0 + j) * vectors;
            const float4* value = SHARED_TILE ? sv + j * vectors : values + (j0 + j) * vectors;
            float s = 0.0f;
#pragma unroll
            for (int d = 0; d < vectors; ++d) {
                float4 y = key[d];
                s += x[d].x * y.x + x[d].y * y.y + x[d].z * y.z + x[d].w * y.w;
            }
            float next = fmaxf(top, s), keep = __expf(top - next), p = __expf(s - next);
            top = next;
            weight = weight * keep + p;
#pragma unroll
            for (int d = 0; d < vectors; ++d) {
                float4 y = value[d];
                sum[d].x = sum[d].x * keep + p * y.x;
                sum[d].y = sum[d].y * keep + p * y.y;
                sum[d].z = sum[d].z * keep + p * y.z;
                sum[d].w = sum[d].w * keep + p * y.w;
            }
        }
    }
    float4* to = (float4*)output + head + (size_t)(blockIdx.x * BLOCK_SIZE + threadIdx.x) * vectors;
#pragma unroll
    for (int d = 0; d < vectors; ++d)
        to[d] = make_float4(sum[d].x / weight, sum[d].y / weight, sum[d].z / weight, sum[d].w / weight);
}
