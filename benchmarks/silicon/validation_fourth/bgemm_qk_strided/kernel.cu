// Scores of attention as a batched strided FP32 matrix product, q times the transpose of k for every head, tiles
// transposed on their way to shared memory.
constexpr int SEQ = 512, HEAD = 64, STRIDE = TILE + PAD, M = TILE / 16;

extern "C" __global__ void __launch_bounds__(256)
bgemm_qk_strided(const float* __restrict__ q, const float* __restrict__ k, float* __restrict__ scores, float scale)
{
    __shared__ __align__(16) float sq[DEPTH * STRIDE], sk[DEPTH * STRIDE];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, m0 = blockIdx.y * TILE, n0 = blockIdx.x * TILE;
    const float* qb = q + (size_t)blockIdx.z * SEQ * HEAD;
    const float* kb = k + (size_t)blockIdx.z * SEQ * HEAD;
    float acc[M][M] = {};
    for (int d0 = 0; d0 < HEAD; d0 += DEPTH) {
#if VEC == 4
#pragma unroll
        for (int i = t; i < TILE * DEPTH / 4; i += 256) {
            const int r = i / (DEPTH / 4), d = i % (DEPTH / 4) * 4;
            const float4 u = *reinterpret_cast<const float4*>(qb + (m0 + r) * HEAD + d0 + d);
            const float4 v = *reinterpret_cast<const float4*>(kb + (n0 + r) * HEAD + d0 + d);
            sq[d * STRIDE + r] = u.x;
            sq[(d + 1) * STRIDE + r] = u.y;
            sq[(d + 2) * STRIDE + r] = u.z;
            sq[(d + 3) * STRIDE + r] = u.w;
            sk[d * STRIDE + r] = v.x;
            sk[(d + 1) * STRIDE + r] = v.y;
            sk[(d + 2) * STRIDE + r] = v.z;
            sk[(d + 3) * STRIDE + r] = v.w;
        }
#else
#pragma unroll
        for (int i = t; i < TILE * DEPTH; i += 256) {
            const int r = i / DEPTH, d = i % DEPTH;
            sq[d * STRIDE + r] = qb[(m0 + r) * HEAD + d0 + d];
            sk[d * STRIDE + r] = kb[(n0 + r) * HEAD + d0 + d];
        }
#endif
        __syncthreads();
#pragma unroll 8
        for (int d = 0; d < DEPTH; ++d) {
            float a[M], b[M];
#pragma unroll
            for (int i = 0; i < M; i += 4) {
                *reinterpret_cast<float4*>(a + i) =
                    *reinterpret_cast<const float4*>(sq + d * STRIDE + ty * 4 + i * 16);
                *reinterpret_cast<float4*>(b + i) =
                    *reinterpret_cast<const float4*>(sk + d * STRIDE + tx * 4 + i * 16);
            }
#pragma unroll
            for (int i = 0; i < M; ++i)
#pragma unroll
                for (int j = 0; j < M; ++j) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    float* out = scores + (size_t)blockIdx.z * SEQ * SEQ;
#pragma unroll
    for (int i = 0; i < M; ++i)
#pragma unroll
        for (int j = 0; j < M; j += 4)
            *reinterpret_cast<float4*>(out + (size_t)(m0 + ty * 4 + i / 4 * 64 + i % 4) * SEQ + n0 + tx * 4 + j * 16) =
                make_float4(acc[i][j] * scale, acc[i][j + 1] * scale, acc[i][j + 2] * scale, acc[i][j + 3] * scale);
}
