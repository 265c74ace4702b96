// Attention without tiles: one block computes one query's scores, their softmax and the weighted sum.
// Every block reads all keys and values of its head again.
extern "C" __global__ void attention_row(const float* __restrict__ q, const float* __restrict__ k,
                                         const float* __restrict__ v, float* __restrict__ output) {
    __shared__ float score[SEQUENCE], query[64], part[BLOCK_SIZE];
    size_t head = (size_t)blockIdx.y * SEQUENCE * 64;
    int keys = CAUSAL ? blockIdx.x + 1 : SEQUENCE, t = threadIdx.x;
    if (t < 64) query[t] = q[head + blockIdx.x * 64 + t] * 0.125f;
    __syncthreads();
    float top = -1e30f, sum = 0.0f;
    for (int j = t; j < keys; j += BLOCK_SIZE) {
        const float4* row = (const float4*)(k + head + j * 64);
        float s = 0.0f;
#pragma unroll
        for (int d = 0; d < 16; ++d) {
            float4 x = row[d];
            s += x.x * query[4 * d] + x.y * query[4 * d + 1] + x.z * query[4 * d + 2] + x.w * query[4 * d + 3];
        }
        score[j] = s;
        top = fmaxf(top, s);
    }
    part[t] = top;
    __syncthreads();
    for (int half = BLOCK_SIZE / 2; half; half /= 2) {
        if (t < half) part[t] = fmaxf(part[t], part[t + half]);
        __syncthreads();
    }
    top = part[0];
    __syncthreads();
    for (int j = t; j < keys; j += BLOCK_SIZE) sum += score[j] = __expf(score[j] - top);
    part[t] = sum;
    __syncthreads();
    for (int half = BLOCK_SIZE / 2; half; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    float scale = 1.0f / part[0], result = 0.0f;
    __syncthreads();
    for (int j = t / 64; j < keys; j += BLOCK_SIZE / 64) result = fmaf(score[j], v[head + j * 64 + t % 64], result);
    part[t] = result;
    __syncthreads();
    if (t < 64) {
        for (int g = 1; g < BLOCK_SIZE / 64; ++g) result += part[t + 64 * g];
        output[head + blockIdx.x * 64 + t] = result * scale;
    }
}
