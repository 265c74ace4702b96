// A GRU of 64 hidden numbers over 32 steps; a thread has a row of the recurrent weights of three gates in registers or
// reads it again at each step, for SEQS sequences of a block.
constexpr int H = 64, STEPS = 32, BATCH = 1056;

__device__ __forceinline__ float sigmoid(float x)
{
    return __fdividef(1.0f, 1.0f + __expf(-x));
}

extern "C" __global__ void __launch_bounds__(192)
gru_sequence_rows_home(const float* __restrict__ weight, const float* __restrict__ x, float* __restrict__ out)
{
    __shared__ float h[SEQS][H], gates[SEQS][3 * H];
    const int row = threadIdx.x, seq0 = blockIdx.x * SEQS;
    float w[KEPT ? H : 1];
    if (KEPT)
#pragma unroll
        for (int k = 0; k < H; ++k) w[KEPT ? k : 0] = weight[k * 3 * H + row];
    for (int i = threadIdx.x; i < SEQS * H; i += 192) h[i / H][i % H] = 0.0f;
    __syncthreads();
#pragma unroll 1
    for (int t = 0; t < STEPS; ++t) {
        float acc[SEQS] = {};
        constexpr int U = KEPT ? H / 4 : UNROLL;
#pragma unroll U
        for (int k = 0; k < H; k += 4) {
            float a[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) a[i] = KEPT ? w[KEPT ? k + i : 0] : __ldg(weight + (k + i) * 3 * H + row);
#pragma unroll
            for (int s = 0; s < SEQS; ++s) {
                const float4 v = *reinterpret_cast<const float4*>(&h[s][k]);
                acc[s] += a[0] * v.x + a[1] * v.y + a[2] * v.z + a[3] * v.w;
            }
        }
#pragma unroll
        for (int s = 0; s < SEQS; ++s) {
            const float in = x[((size_t)t * BATCH + seq0 + s) * 3 * H + row];
            if (row < 2 * H)
                gates[s][row] = sigmoid(acc[s] + in);
            else
                gates[s][row] = acc[s];
        }
        __syncthreads();
        for (int i = threadIdx.x; i < SEQS * H; i += 192) {
            const int s = i / H, j = i % H;
            const float in = x[((size_t)t * BATCH + seq0 + s) * 3 * H + 2 * H + j];
            const float n = 2.0f * sigmoid(2.0f * (in + gates[s][j] * gates[s][2 * H + j])) - 1.0f, z = gates[s][H + j];
            const float next = (1.0f - z) * n + z * h[s][j];
            h[s][j] = next;
            out[((size_t)t * BATCH + seq0 + s) * H + j] = next;
        }
        __syncthreads();
    }
}
