// Streams read and written at the same time, by blocks that end soon: each thread reads 16 bytes of READS arrays and writes as
// many of WRITES arrays, EACH times, a block's threads next to each other.
extern "C" __global__ void __launch_bounds__(256) mixed_streams(const float4* input, float4* out, unsigned vectors) {
    const unsigned first = blockIdx.x * 256 * EACH + threadIdx.x;
    float4 value[EACH];
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        value[k] = {1, 2, 3, 4};
#pragma unroll
        for (int r = 0; r < READS; ++r) {
            const float4 read = __ldcg(input + r * (size_t)vectors + first + k * 256);
            value[k].x += read.x, value[k].y += read.y, value[k].z += read.z, value[k].w += read.w;
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
#pragma unroll
        for (int w = 0; w < WRITES; ++w) out[w * (size_t)vectors + first + k * 256] = value[k];
#if WRITES == 0
        if (value[k].x + value[k].y + value[k].z + value[k].w == 12345.0f) out[0] = value[k];
#endif
    }
}
