// Hue turned and saturation scaled for RGBA or planar RGB bytes, EACH pixels a thread side by side.
constexpr int PIXELS = 6291456;

__device__ void adjust(float& r, float& g, float& b, float turn, float factor)
{
    const float v = fmaxf(r, fmaxf(g, b)), m = fminf(r, fminf(g, b)), c = v - m;
#if FAST
    const float inverse = c > 0.0f ? __fdividef(1.0f, c) : 0.0f, s = v > 0.0f ? __fdividef(c, v) * factor : 0.0f;
#else
    const float inverse = c > 0.0f ? 1.0f / c : 0.0f, s = v > 0.0f ? c / v * factor : 0.0f;
#endif
    float h = v == r ? (g - b) * inverse : v == g ? (b - r) * inverse + 2.0f : (r - g) * inverse + 4.0f;
    h += turn;
    h -= 6.0f * floorf(h * (1.0f / 6.0f));
    const float t = v * fminf(s, 1.0f);
    r = v - t * __saturatef(2.0f - fabsf(h - 3.0f));
    g = v - t * __saturatef(fabsf(h - 2.0f) - 1.0f);
    b = v - t * __saturatef(fabsf(h - 4.0f) - 1.0f);
}

struct alignas(EACH) Bytes { unsigned char v[EACH]; };
struct alignas(EACH * 4) Quads { unsigned v[EACH]; };

extern "C" __global__ void __launch_bounds__(THREADS)
hsv_adjust_bytes(const unsigned char* __restrict__ x, unsigned char* __restrict__ y, float turn, float factor)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
#if PLANAR
    Bytes p[3];
#pragma unroll
    for (int c = 0; c < 3; ++c) p[c] = reinterpret_cast<const Bytes*>(x + c * PIXELS)[i];
#else
    Quads q = reinterpret_cast<const Quads*>(x)[i];
#endif
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
#if PLANAR
        float r = p[0].v[e], g = p[1].v[e], b = p[2].v[e];
#else
        float r = q.v[e] & 255, g = q.v[e] >> 8 & 255, b = q.v[e] >> 16 & 255;
#endif
        adjust(r, g, b, turn, factor);
#if PLANAR
        p[0].v[e] = (unsigned char)(r + 0.5f);
        p[1].v[e] = (unsigned char)(g + 0.5f);
        p[2].v[e] = (unsigned char)(b + 0.5f);
#else
        q.v[e] = (q.v[e] & 0xFF000000u) | (unsigned)(r + 0.5f) | (unsigned)(g + 0.5f) << 8 | (unsigned)(b + 0.5f) << 16;
#endif
    }
#if PLANAR
#pragma unroll
    for (int c = 0; c < 3; ++c) reinterpret_cast<Bytes*>(y + c * PIXELS)[i] = p[c];
#else
    reinterpret_cast<Quads*>(y)[i] = q;
#endif
}
