// Pair p is (i, j) with j < i and p = i (i - 1) / 2 + j; rows are padded by one access.
constexpr int FEATURES = 27, PAIRS = FEATURES * (FEATURES - 1) / 2, STRIDE = DIM + VEC;

extern "C" __global__ void __launch_bounds__(THREADS)
dlrm_pairwise_dot(const float* __restrict__ features, float* __restrict__ out)
{
    __shared__ __align__(16) float rows[FEATURES * STRIDE];
    const float* sample = features + (size_t)blockIdx.x * FEATURES * DIM;
    for (int i = threadIdx.x; i < FEATURES * DIM / 4; i += THREADS) {
        const float4 f = reinterpret_cast<const float4*>(sample)[i];
        float* to = rows + i / (DIM / 4) * STRIDE + i % (DIM / 4) * 4;
#if VEC == 4
        *reinterpret_cast<float4*>(to) = f;
#else
        to[0] = f.x;
        to[1] = f.y;
        to[2] = f.z;
        to[3] = f.w;
#endif
    }
    __syncthreads();
    for (int p = threadIdx.x; p < PAIRS; p += THREADS) {
        int i = (int)((1.0f + sqrtf(1.0f + 8.0f * p)) * 0.5f);
        if (i * (i - 1) / 2 > p) --i;
        if (i * (i + 1) / 2 <= p) ++i;
        const int j = p - i * (i - 1) / 2;
        const float *a = rows + i * STRIDE, *b = rows + j * STRIDE;
        float sum = 0.0f;
#if VEC == 4
#pragma unroll 8
        for (int k = 0; k < DIM / 4; ++k) {
            const float4 u = reinterpret_cast<const float4*>(a)[k], v = reinterpret_cast<const float4*>(b)[k];
            sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
        }
#else
#pragma unroll 8
        for (int k = 0; k < DIM; ++k) sum += a[k] * b[k];
#endif
        out[blockIdx.x * PAIRS + p] = sum;
    }
}
