// Loss of each row of logits; threads keep a running maximum for CHUNK accesses at a time.
constexpr int STEPS = VOCAB / (THREADS * VEC * CHUNK);
struct alignas(VEC * 4) Pack { float v[VEC]; };

__device__ __forceinline__ void join(float& top, float& sum, float t, float s)
{
    const float now = fmaxf(top, t);
    sum = sum * __expf(top - now) + s * __expf(t - now);
    top = now;
}

extern "C" __global__ void __launch_bounds__(THREADS)
xent_f32_chunks_in_flight(const Pack* __restrict__ logits, const int* __restrict__ label, float* __restrict__ loss)
{
    __shared__ float tops[THREADS / 32], sums[THREADS / 32];
    const Pack* row = logits + (size_t)blockIdx.x * (VOCAB / VEC) + threadIdx.x;
    float top = -1.0e30f, sum = 0.0f;
#pragma unroll 1
    for (int s = 0; s < STEPS; ++s) {
        Pack p[CHUNK];
#pragma unroll
        for (int i = 0; i < CHUNK; ++i) p[i] = row[(s * CHUNK + i) * THREADS];
        float now = top;
#pragma unroll
        for (int i = 0; i < CHUNK; ++i)
#pragma unroll
            for (int j = 0; j < VEC; ++j) now = fmaxf(now, p[i].v[j]);
        sum *= __expf(top - now);
        top = now;
#pragma unroll
        for (int i = 0; i < CHUNK; ++i)
#pragma unroll
            for (int j = 0; j < VEC; ++j) sum += __expf(p[i].v[j] - top);
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        const float t = __shfl_xor_sync(~0u, top, d), s = __shfl_xor_sync(~0u, sum, d);
        join(top, sum, t, s);
    }
    if (threadIdx.x % 32 == 0) {
        tops[threadIdx.x / 32] = top;
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < THREADS / 32; ++i) join(top, sum, tops[i], sums[i]);
        const int l = label[blockIdx.x];
        loss[blockIdx.x] = __logf(sum) + top - reinterpret_cast<const float*>(logits)[(size_t)blockIdx.x * VOCAB + l];
    }
}
