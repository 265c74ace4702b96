// Maximum of a row and its position, one block a row: pairs compared through shuffles, then shared memory.
// Of equal values the first counts.
struct alignas(4 * VECTOR) Pack { float v[VECTOR]; };
__device__ void better(float& v, int& i, float w, int j) {
    if (w > v || (w == v && j < i)) {
        v = w;
        i = j;
    }
}

extern "C" __global__ void argmax_rows(const Pack* __restrict__ input, float* __restrict__ value,
                                       int* __restrict__ index) {
    constexpr int vectors = COLUMNS / VECTOR, warps = BLOCK_SIZE / 32;
    __shared__ float values[warps];
    __shared__ int indices[warps];
    const Pack* row = input + (size_t)blockIdx.x * vectors;
    float top = -1e30f;
    int at = 0;
#pragma unroll 4
    for (int i = threadIdx.x; i < vectors; i += BLOCK_SIZE) {
        Pack p = row[i];
#pragma unroll
        for (int k = 0; k < VECTOR; ++k) better(top, at, p.v[k], i * VECTOR + k);
    }
    for (int o = 16; o; o >>= 1) better(top, at, __shfl_down_sync(~0u, top, o), __shfl_down_sync(~0u, at, o));
    if (threadIdx.x % 32 == 0) {
        values[threadIdx.x / 32] = top;
        indices[threadIdx.x / 32] = at;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < warps; ++w) better(top, at, values[w], indices[w]);
        value[blockIdx.x] = top;
        index[blockIdx.x] = at;
    }
}
