// Mean and variance of a row a block in one pass, shuffles and one shared word a warp, then scale.
extern "C" __global__ void layer_norm(const float4* __restrict__ input, float4* __restrict__ out, int vectors) {
    __shared__ float2 partial[BLOCK_SIZE / 32];
    const float4* row = input + (size_t)blockIdx.x * vectors;
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < vectors; i += BLOCK_SIZE) {
        float4 v = row[i];
        sum += v.x + v.y + v.z + v.w;
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
        squares += __shfl_down_sync(0xffffffffu, squares, offset);
    }
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = make_float2(sum, squares);
    __syncthreads();
    sum = squares = 0.0f;
#pragma unroll
    for (int w = 0; w < BLOCK_SIZE / 32; ++w) {
        sum += partial[w].x;
        squares += partial[w].y;
    }
    float mean = sum / (4 * vectors);
    float scale = rsqrtf(squares / (4 * vectors) - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < vectors; i += BLOCK_SIZE) {
        float4 v = row[i];
        out[(size_t)blockIdx.x * vectors + i] =
            make_float4((v.x - mean) * scale, (v.y - mean) * scale, (v.z - mean) * scale, (v.w - mean) * scale);
    }
}
