// Scores, softmax and weighted values one after the other; for short sequences all scores fit.
constexpr int SEQ = 256, D = 64, LK = D + PAD, WARPS = THREADS / 32;

extern "C" __global__ void __launch_bounds__(THREADS)
attention_f32_scores_shared(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, float* __restrict__ out)
{
    __shared__ float qs[QUERIES][D];
    __shared__ float ks[KEYS][LK];
    __shared__ float s[QUERIES][SEQ];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, q0 = blockIdx.x * QUERIES;
    const size_t head = (size_t)blockIdx.y * SEQ * D;
    for (int i = t; i < QUERIES * D; i += THREADS) qs[i / D][i % D] = q[head + q0 * D + i] * 0.125f;
#pragma unroll 1
    for (int k0 = 0; k0 < SEQ; k0 += KEYS) {
        __syncthreads();
#pragma unroll
        for (int i = t; i < KEYS * D; i += THREADS) ks[i / D][i % D] = k[head + k0 * D + i];
        __syncthreads();
        for (int i = t; i < QUERIES * KEYS; i += THREADS) {
            const int a = i / KEYS, b = i % KEYS;
            float sum = 0.0f;
#pragma unroll 16
            for (int d = 0; d < D; ++d) sum += qs[a][d] * ks[b][d];
            s[a][k0 + b] = sum;
        }
    }
    __syncthreads();
#pragma unroll
    for (int a = warp; a < QUERIES; a += WARPS) {
        float e[SEQ / 32], top = -1e30f, sum = 0.0f;
#pragma unroll
        for (int i = 0; i < SEQ / 32; ++i) {
            e[i] = s[a][i * 32 + lane];
            top = fmaxf(top, e[i]);
        }
#pragma unroll
        for (int d = 16; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
#pragma unroll
        for (int i = 0; i < SEQ / 32; ++i) {
            e[i] = __expf(e[i] - top);
            sum += e[i];
        }
#pragma unroll
        for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
        const float scale = 1.0f / sum;
#pragma unroll
        for (int i = 0; i < SEQ / 32; ++i) s[a][i * 32 + lane] = e[i] * scale;
    }
    __syncthreads();
    constexpr int GROUPS = THREADS / D, EACH = QUERIES / GROUPS;
    const int d = t % D, a0 = t / D * EACH;
    float acc[EACH] = {};
#pragma unroll 4
    for (int i = 0; i < SEQ; ++i) {
        const float f = v[head + i * D + d];
#pragma unroll
        for (int a = 0; a < EACH; ++a) acc[a] += s[a0 + a][i] * f;
    }
#pragma unroll
    for (int a = 0; a < EACH; ++a) out[head + (q0 + a0 + a) * D + d] = acc[a];
}
