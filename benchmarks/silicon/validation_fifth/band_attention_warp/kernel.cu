// Attention over a sliding window for heads of 64: scores by keys a lane, results by dimensions a lane.
constexpr int SEQ = 2048, DIM = 64, QUERIES = WARPS * EACH, KEYS = WINDOW + QUERIES, PER = WINDOW / 32, PITCH = 65;

extern __shared__ float store[];

extern "C" __global__ void __launch_bounds__(WARPS * 32)
band_attention_warp(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                    float* __restrict__ out)
{
    float *sk = store, *sv = store + KEYS * PITCH;
    const size_t head = (size_t)blockIdx.y * SEQ * DIM;
    const int first = blockIdx.x * QUERIES, base = first - WINDOW, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int i = threadIdx.x; i < KEYS * DIM; i += WARPS * 32) {
        const int row = i / DIM, d = i % DIM, key = base + row;
        sk[row * PITCH + d] = key >= 0 ? k[head + key * DIM + d] : 0.0f;
        if (VALUES_SHARED) sv[i] = key >= 0 ? v[head + key * DIM + d] : 0.0f;
    }
    __syncthreads();
#pragma unroll 1
    for (int e = 0; e < EACH; ++e) {
        const int query = first + warp * EACH + e, from = query - first + 1;  // row of the window's first key
        const float2 own = *(const float2*)(q + head + query * DIM + lane * 2);
        float score[PER] = {};
#pragma unroll
        for (int d = 0; d < DIM; ++d) {
            const float x = __shfl_sync(0xffffffff, d % 2 ? own.y : own.x, d / 2);
#pragma unroll
            for (int p = 0; p < PER; ++p) score[p] += x * sk[(from + p * 32 + lane) * PITCH + d];
        }
        float top = -1e30f, sum = 0.0f;
#pragma unroll
        for (int p = 0; p < PER; ++p) {
            score[p] = base + from + p * 32 + lane >= 0 ? score[p] * 0.125f : -1e30f;
            top = fmaxf(top, score[p]);
        }
#pragma unroll
        for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));
#pragma unroll
        for (int p = 0; p < PER; ++p) {
            score[p] = __expf(score[p] - top);
            sum += score[p];
        }
#pragma unroll
        for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
        float2 result = {0.0f, 0.0f};
#pragma unroll
        for (int p = 0; p < PER; ++p)
#pragma unroll 8
            for (int j = 0; j < 32; ++j) {
                const float weight = __shfl_sync(0xffffffff, score[p], j);
                const int row = from + p * 32 + j;
                float2 x;
                if (VALUES_SHARED) {
                    x.x = sv[row * DIM + lane * 2];
                    x.y = sv[row * DIM + lane * 2 + 1];
                } else {
                    const int key = max(base + row, 0);
                    x = *(const float2*)(v + head + key * DIM + lane * 2);
                }
                result.x += weight * x.x;
                result.y += weight * x.y;
            }
        const float inverse = 1.0f / sum;
        *(float2*)(out + head + query * DIM + lane * 2) = make_float2(result.x * inverse, result.y * inverse);
    }
}
