// Cross entropy of one row of logits a block: log(sum(exp(x))) - x[label], 128-bit loads.
// ONLINE keeps a running maximum and rescales the sum, otherwise the row is read twice.
extern "C" __global__ void cross_entropy(const float4* __restrict__ logits, const int* __restrict__ labels,
                                         float* __restrict__ loss) {
    constexpr int vectors = CLASSES / 4;
    __shared__ float tops[BLOCK_SIZE / 32], sums[BLOCK_SIZE / 32];
    const float4* row = logits + (size_t)blockIdx.x * vectors;
    float top = -1e30f, sum = 0.0f;
    for (int i = threadIdx.x; i < vectors; i += BLOCK_SIZE) {
        float4 v = row[i];
        float m = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
        if (ONLINE) {
            if (m > top) {
                sum *= __expf(top - m);
                top = m;
            }
            sum += __expf(v.x - top) + __expf(v.y - top) + __expf(v.z - top) + __expf(v.w - top);
        } else {
            top = fmaxf(top, m);
        }
    }
    float mine = top;
    for (int o = 16; o; o >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
    if (threadIdx.x % 32 == 0) tops[threadIdx.x / 32] = top;
    __syncthreads();
    for (int i = 0; i < BLOCK_SIZE / 32; ++i) top = fmaxf(top, tops[i]);
    if (ONLINE)
        sum *= __expf(mine - top);
    else
        for (int i = threadIdx.x; i < vectors; i += BLOCK_SIZE) {
            float4 v = row[i];
            sum += __expf(v.x - top) + __expf(v.y - top) + __expf(v.z - top) + __expf(v.w - top);
        }
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0.0f;
        for (int i = 0; i < BLOCK_SIZE / 32; ++i) sum += sums[i];
        loss[blockIdx.x] = logf(sum) + top - ((const float*)row)[labels[blockIdx.x]];
    }
}
