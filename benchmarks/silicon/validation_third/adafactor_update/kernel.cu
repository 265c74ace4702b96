// Adafactor: second moments as the product of a row's and a column's average, the update scaled by its inverse root,
// with momentum or without.
extern "C" __global__ void adafactor_update(const float* __restrict__ grad, const float* __restrict__ row_average,
                                            const float* __restrict__ column_average, float* __restrict__ momentum,
                                            float* __restrict__ weight, int columns, float inverse_mean, float rate)
{
    const int row = blockIdx.y;
    const float r = rsqrtf(row_average[row] * inverse_mean + 1e-30f);
    for (int c = (blockIdx.x * THREADS + threadIdx.x) * VEC; c < columns; c += gridDim.x * THREADS * VEC) {
        const size_t i = (size_t)row * columns + c;
#if VEC == 4
        const float4 g = *reinterpret_cast<const float4*>(grad + i), a = *reinterpret_cast<const float4*>(column_average + c);
        float4 w = *reinterpret_cast<const float4*>(weight + i);
        float u[4] = {g.x * r * rsqrtf(a.x + 1e-8f), g.y * r * rsqrtf(a.y + 1e-8f), g.z * r * rsqrtf(a.z + 1e-8f),
                      g.w * r * rsqrtf(a.w + 1e-8f)};
#if MOMENTUM
        float4 m = *reinterpret_cast<const float4*>(momentum + i);
        u[0] = m.x = 0.9f * m.x + 0.1f * u[0];
        u[1] = m.y = 0.9f * m.y + 0.1f * u[1];
        u[2] = m.z = 0.9f * m.z + 0.1f * u[2];
        u[3] = m.w = 0.9f * m.w + 0.1f * u[3];
        *reinterpret_cast<float4*>(momentum + i) = m;
#endif
        w.x -= rate * u[0];
        w.y -= rate * u[1];
        w.z -= rate * u[2];
        w.w -= rate * u[3];
        *reinterpret_cast<float4*>(weight + i) = w;
#else
        float u = grad[i] * r * rsqrtf(column_average[c] + 1e-8f);
#if MOMENTUM
        u = 0.9f * momentum[i] + 0.1f * u;
        momentum[i] = u;
#endif
        weight[i] -= rate * u;
#endif
    }
}
