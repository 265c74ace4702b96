// Sigmoid focal loss of 80 classes an anchor, or its gradient; alpha 0.25, gamma 2.
constexpr int CLASSES = 80;

__device__ __forceinline__ float e(float v) { return FAST ? __expf(v) : expf(v); }
__device__ __forceinline__ float l(float v) { return FAST ? __logf(v) : logf(v); }

__device__ __forceinline__ float one(float v, bool positive)
{
    const float p = 1.0f / (1.0f + e(-v));
    const float alpha = positive ? 0.25f : 0.75f, right = positive ? p : 1.0f - p, wrong = 1.0f - right;
#if GRADIENT
    const float slope = wrong * wrong * (2.0f * right * l(fmaxf(right, 1e-8f)) - wrong);
    return alpha * (positive ? slope : -slope);
#else
    return -alpha * wrong * wrong * l(fmaxf(right, 1e-8f));
#endif
}

extern "C" __global__ void sigmoid_focal_loss(const float* __restrict__ logits, const int* __restrict__ targets,
                                              float* __restrict__ out, int count)
{
    const int i = (blockIdx.x * THREADS + threadIdx.x) * VEC;
    if (i >= count) return;
    const int anchor = i / CLASSES, c = i - anchor * CLASSES, target = targets[anchor];
#if VEC == 4
    float4 v = *reinterpret_cast<const float4*>(logits + i);
    v.x = one(v.x, c == target);
    v.y = one(v.y, c + 1 == target);
    v.z = one(v.z, c + 2 == target);
    v.w = one(v.w, c + 3 == target);
    *reinterpret_cast<float4*>(out + i) = v;
#else
    out[i] = one(logits[i], c == target);
#endif
}
