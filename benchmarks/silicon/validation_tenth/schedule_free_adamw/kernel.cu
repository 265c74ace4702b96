// The average x is not stored: it follows from y and z. Steps are small enough for any number of launches.
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
schedule_free_adamw(Pack* __restrict__ y, Pack* __restrict__ z, Pack* __restrict__ v, const Pack* __restrict__ g)
{
    const float beta = 0.9f, beta2 = 0.999f, rate = 1.0e-6f, decay = 0.01f, weight = 0.001f;
    Pack py[EACH], pz[EACH], pv[EACH], pg[EACH];
    const int first = blockIdx.x * EACH * 256 + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        py[e] = y[first + e * 256];
        pz[e] = z[first + e * 256];
        pv[e] = v[first + e * 256];
        pg[e] = g[first + e * 256];
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const float grad = pg[e].v[j], old = py[e].v[j];
            const float second = beta2 * pv[e].v[j] + (1.0f - beta2) * grad * grad;
            const float step = FAST ? __fdividef(grad, __fsqrt_rn(second) + 1.0e-8f) : grad / (sqrtf(second) + 1.0e-8f);
            const float x = FAST ? __fdividef(old - (1.0f - beta) * pz[e].v[j], beta) : (old - (1.0f - beta) * pz[e].v[j]) / beta;
            const float nz = pz[e].v[j] - rate * (step + decay * old), nx = x + weight * (nz - x);
            pv[e].v[j] = second;
            pz[e].v[j] = nz;
            py[e].v[j] = beta * nx + (1.0f - beta) * nz;
        }
        y[first + e * 256] = py[e];
        z[first + e * 256] = pz[e];
        v[first + e * 256] = pv[e];
    }
}
