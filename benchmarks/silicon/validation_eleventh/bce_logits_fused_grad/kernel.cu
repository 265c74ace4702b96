// Binary cross entropy with logits and weights of positives for 64 classes: sums of losses and gradients.
constexpr int SPAN = THREADS * EACH;
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
bce_logits_fused_grad(const Pack* __restrict__ logits, const Pack* __restrict__ targets, const Pack* __restrict__ positive,
                      Pack* __restrict__ grad, float* __restrict__ sums)
{
    __shared__ float parts[THREADS / 32];
    float sum = 0.0f;
    const int first = blockIdx.x * SPAN + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = first + e * THREADS;
        const Pack x = logits[i], t = targets[i], w = positive[i % (64 / VEC)];
        Pack g;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const float a = FAST ? __expf(-fabsf(x.v[j])) : expf(-fabsf(x.v[j]));
            const float soft = (FAST ? __logf(1.0f + a) : log1pf(a)) + fmaxf(-x.v[j], 0.0f);
            const float s = FAST ? __fdividef(1.0f, 1.0f + a) : 1.0f / (1.0f + a);
            const float p = x.v[j] >= 0.0f ? s : 1.0f - s, k = 1.0f + (w.v[j] - 1.0f) * t.v[j];
            sum += (1.0f - t.v[j]) * x.v[j] + k * soft;
            g.v[j] = (1.0f - t.v[j]) - k * (1.0f - p);
        }
        grad[i] = g;
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < THREADS / 32; ++i) sum += parts[i];
        sums[blockIdx.x] = sum;
    }
}
