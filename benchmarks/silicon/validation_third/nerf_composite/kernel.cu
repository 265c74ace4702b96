// Colours of rays from densities and colours along them, front to back. BY_WARP gives a ray to a warp, which scans 32
// samples at once; otherwise a ray is a thread's. EARLY stops at opaque rays.
extern "C" __global__ void nerf_composite(const float* __restrict__ sigma, const float* __restrict__ rgb,
                                          float* __restrict__ out, int rays, float step)
{
#if BY_WARP
    const int ray = (blockIdx.x * THREADS + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (ray >= rays) return;
    const float* s = sigma + (size_t)ray * SAMPLES;
    const float* c = rgb + (size_t)ray * SAMPLES * 3;
    float before = 1.0f, r = 0.0f, g = 0.0f, b = 0.0f;
    for (int i = lane; i < SAMPLES; i += 32) {
        const float alpha = 1.0f - __expf(-s[i] * step);
        float through = 1.0f - alpha;
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            const float o = __shfl_up_sync(0xffffffff, through, d);
            if (lane >= d) through *= o;
        }
        float exclusive = __shfl_up_sync(0xffffffff, through, 1);
        if (lane == 0) exclusive = 1.0f;
        const float weight = before * exclusive * alpha;
        r += weight * c[3 * i];
        g += weight * c[3 * i + 1];
        b += weight * c[3 * i + 2];
        before *= __shfl_sync(0xffffffff, through, 31);
        if (EARLY && before < 1e-3f) break;
    }
    for (int m = 16; m > 0; m >>= 1) {
        r += __shfl_xor_sync(0xffffffff, r, m);
        g += __shfl_xor_sync(0xffffffff, g, m);
        b += __shfl_xor_sync(0xffffffff, b, m);
    }
    if (lane == 0) {
        out[3 * ray] = r;
        out[3 * ray + 1] = g;
        out[3 * ray + 2] = b;
    }
#else
    const int ray = blockIdx.x * THREADS + threadIdx.x;
    if (ray >= rays) return;
    const float* s = sigma + (size_t)ray * SAMPLES;
    const float* c = rgb + (size_t)ray * SAMPLES * 3;
    float before = 1.0f, r = 0.0f, g = 0.0f, b = 0.0f;
    for (int i = 0; i < SAMPLES; ++i) {
        const float alpha = 1.0f - __expf(-s[i] * step), weight = before * alpha;
        r += weight * c[3 * i];
        g += weight * c[3 * i + 1];
        b += weight * c[3 * i + 2];
        before *= 1.0f - alpha;
        if (EARLY && before < 1e-3f) break;
    }
    out[3 * ray] = r;
    out[3 * ray + 1] = g;
    out[3 * ray + 2] = b;
#endif
}
