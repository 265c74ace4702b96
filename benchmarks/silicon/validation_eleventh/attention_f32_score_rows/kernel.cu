// QT queries of a head in a block; all scores of a row are in shared memory. Keys are stored by tokens or transposed.
constexpr int SEQ = 512, DIM = 64, WARPS = THREADS / 32, GROUPS = THREADS / 64;

extern "C" __global__ void __launch_bounds__(THREADS)
attention_f32_score_rows(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, float* __restrict__ out)
{
    __shared__ float qs[QT][DIM], scores[QT][SEQ], sums[QT], parts[GROUPS][QT][DIM];
    const size_t base = (size_t)blockIdx.y * SEQ * DIM;
    const int q0 = blockIdx.x * QT, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = threadIdx.x; i < QT * DIM; i += THREADS) qs[i / DIM][i % DIM] = q[base + q0 * DIM + i] * 0.125f;
    __syncthreads();
    constexpr int U = UNROLL;
    for (int key = threadIdx.x; key < SEQ; key += THREADS) {
        float s[QT] = {};
#pragma unroll U
        for (int d = 0; d < DIM; d += 4) {
            float4 f;
            if (TRANSPOSED) {
                const float* p = k + base + d * SEQ + key;
                f = make_float4(p[0], p[SEQ], p[2 * SEQ], p[3 * SEQ]);
            } else {
                f = *reinterpret_cast<const float4*>(k + base + key * DIM + d);
            }
#pragma unroll
            for (int i = 0; i < QT; ++i) {
                const float4 g = *reinterpret_cast<const float4*>(&qs[i][d]);
                s[i] += f.x * g.x + f.y * g.y + f.z * g.z + f.w * g.w;
            }
        }
#pragma unroll
        for (int i = 0; i < QT; ++i) scores[i][key] = s[i];
    }
    __syncthreads();
    for (int i = warp; i < QT; i += WARPS) {
        float top = -1.0e30f, sum = 0.0f;
        for (int key = lane; key < SEQ; key += 32) top = fmaxf(top, scores[i][key]);
#pragma unroll
        for (int d = 16; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
        for (int key = lane; key < SEQ; key += 32) {
            const float e = __expf(scores[i][key] - top);
            scores[i][key] = e;
            sum += e;
        }
#pragma unroll
        for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
        if (lane == 0) sums[i] = sum;
    }
    __syncthreads();
    const int dim = threadIdx.x % DIM, group = threadIdx.x / DIM;
    float acc[QT] = {};
#pragma unroll U
    for (int key = group; key < SEQ; key += GROUPS) {
        const float f = v[base + key * DIM + dim];
#pragma unroll
        for (int i = 0; i < QT; ++i) acc[i] += scores[i][key] * f;
    }
#pragma unroll
    for (int i = 0; i < QT; ++i) parts[group][i][dim] = acc[i];
    __syncthreads();
    for (int i = threadIdx.x; i < QT * DIM; i += THREADS) {
        float sum = 0.0f;
#pragma unroll
        for (int g = 0; g < GROUPS; ++g) sum += parts[g][i / DIM][i % DIM];
        out[base + q0 * DIM + i] = sum / sums[i / DIM];
    }
}
