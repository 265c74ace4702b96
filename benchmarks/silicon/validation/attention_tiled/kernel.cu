// Attention forward in tiles: scores of QUERIES x KEYS from shared memory, a running softmax a row, then the
// product with the tile of values. Sixteen lanes share four rows.
extern __shared__ float storage[];

extern "C" __global__ void attention_tiled(const float* __restrict__ q, const float* __restrict__ k,
                                           const float* __restrict__ v, float* __restrict__ output) {
    constexpr int sequence = 512, threads = QUERIES * 4, step = QUERIES / 4, each = KEYS / 16;
    float *sq = storage, *sk = sq + QUERIES * 65, *sv = sk + KEYS * 65, *sp = sv + KEYS * 64;
    size_t head = (size_t)blockIdx.y * sequence * 64;
    int q0 = blockIdx.x * QUERIES, tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    for (int i = threadIdx.x; i < QUERIES * 64; i += threads)
        sq[i / 64 * 65 + i % 64] = q[head + q0 * 64 + i] * 0.125f;
    float sum[4][4] = {}, top[4], weight[4] = {};
    for (int i = 0; i < 4; ++i) top[i] = -1e30f;
    int end = CAUSAL ? q0 + QUERIES : sequence;
    for (int j0 = 0; j0 < end; j0 += KEYS) {
        __syncthreads();
        for (int i = threadIdx.x; i < KEYS * 64; i += threads) {
            sk[i / 64 * 65 + i % 64] = k[head + j0 * 64 + i];
            sv[i] = v[head + j0 * 64 + i];
        }
        __syncthreads();
        float s[4][each] = {};
#pragma unroll 8
        for (int d = 0; d < 64; ++d) {
            float a[4], b[each];
#pragma unroll
            for (int i = 0; i < 4; ++i) a[i] = sq[(ty + i * step) * 65 + d];
#pragma unroll
            for (int j = 0; j < each; ++j) b[j] = sk[(tx + j * 16) * 65 + d];
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < each; ++j) s[i][j] = fmaf(a[i], b[j], s[i][j]);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float m = top[i], l = 0.0f;
#pragma unroll
            for (int j = 0; j < each; ++j) {
                if (CAUSAL && j0 + tx + j * 16 > q0 + ty + i * step) s[i][j] = -1e30f;
                m = fmaxf(m, s[i][j]);
            }
            for (int o = 8; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
#pragma unroll
            for (int j = 0; j < each; ++j) {
                float p = __expf(s[i][j] - m);
                sp[(ty + i * step) * (KEYS + 1) + tx + j * 16] = p;
                l += p;
            }
            for (int o = 8; o; o >>= 1) l += __shfl_xor_sync(~0u, l, o);
            float keep = __expf(top[i] - m);
            weight[i] = weight[i] * keep + l;
            top[i] = m;
#pragma unroll
            for (int j = 0; j < 4; ++j) sum[i][j] *= keep;
        }
        __syncthreads();
#pragma unroll 8
        for (int d = 0; d < KEYS; ++d) {
            float a[4], b[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) a[i] = sp[(ty + i * step) * (KEYS + 1) + d];
#pragma unroll
            for (int j = 0; j < 4; ++j) b[j] = sv[d * 64 + tx + j * 16];
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            output[head + (q0 + ty + i * step) * 64 + tx + j * 16] = sum[i][j] / weight[i];
}
