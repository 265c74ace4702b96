// Second phase of LAMB: tensors of 65,536 numbers step by their ratio of norms, which each block works out from partial sums.
constexpr int PARTS = 64, TENSOR = 65536;
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
lamb_apply_trust_f32(Pack* __restrict__ param, const Pack* __restrict__ update, const float* __restrict__ weight_norms,
                     const float* __restrict__ update_norms, float rate)
{
    constexpr int U = UNROLL;
    __shared__ float ratio;
    const int tensor = blockIdx.x / (TENSOR / CHUNK);
    if (threadIdx.x < 32) {
        float a = 0.0f, b = 0.0f;
#pragma unroll
        for (int i = threadIdx.x; i < PARTS; i += 32) {
            a += weight_norms[tensor * PARTS + i];
            b += update_norms[tensor * PARTS + i];
        }
#pragma unroll
        for (int d = 16; d; d >>= 1) {
            a += __shfl_xor_sync(~0u, a, d);
            b += __shfl_xor_sync(~0u, b, d);
        }
        if (threadIdx.x == 0) ratio = a > 0.0f && b > 0.0f ? rate * sqrtf(a) / sqrtf(b) : rate;
    }
    __syncthreads();
    const float step = ratio;
    const size_t first = (size_t)blockIdx.x * (CHUNK / VEC) + threadIdx.x;
#pragma unroll U
    for (int i = 0; i < CHUNK / (VEC * THREADS); ++i) {
        Pack p = param[first + i * THREADS];
        const Pack u = update[first + i * THREADS];
#pragma unroll
        for (int j = 0; j < VEC; ++j) p.v[j] -= step * u.v[j];
        param[first + i * THREADS] = p;
    }
}
