// An image turned about its centre by bilinear interpolation, pixels of four bytes or four floats.
#if FLOATS
typedef float4 Pixel;
#else
typedef uchar4 Pixel;
#endif

constexpr int W = 1920, H = 1080, BLOCK_Y = 256 / BLOCK_X;

__device__ __forceinline__ float4 widen(float4 p) { return p; }
__device__ __forceinline__ float4 widen(uchar4 p) { return make_float4(p.x, p.y, p.z, p.w); }
__device__ __forceinline__ void narrow(float4& to, float4 p) { to = p; }
__device__ __forceinline__ void narrow(uchar4& to, float4 p)
{
    to = make_uchar4(__float2int_rn(p.x), __float2int_rn(p.y), __float2int_rn(p.z), __float2int_rn(p.w));
}

extern "C" __global__ void warp_affine(const Pixel* __restrict__ in, Pixel* __restrict__ out, float cosine, float sine)
{
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= W || y >= H) return;
    const float dx = x - W / 2 + 0.25f, dy = y - H / 2 + 0.25f;
    const float sx = cosine * dx + sine * dy + W / 2, sy = cosine * dy - sine * dx + H / 2;
    const float fx = floorf(sx), fy = floorf(sy);
    const int x0 = (int)fx, y0 = (int)fy;
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (x0 >= 0 && x0 < W - 1 && y0 >= 0 && y0 < H - 1) {
        const float4 a = widen(in[y0 * W + x0]), b = widen(in[y0 * W + x0 + 1]);
        const float4 c = widen(in[(y0 + 1) * W + x0]), d = widen(in[(y0 + 1) * W + x0 + 1]);
        const float u = sx - fx, t = sy - fy;
        const float wa = (1.0f - u) * (1.0f - t), wb = u * (1.0f - t), wc = (1.0f - u) * t, wd = u * t;
        v = make_float4(wa * a.x + wb * b.x + wc * c.x + wd * d.x, wa * a.y + wb * b.y + wc * c.y + wd * d.y,
                        wa * a.z + wb * b.z + wc * c.z + wd * d.z, wa * a.w + wb * b.w + wc * c.w + wd * d.w);
    }
    narrow(out[y * W + x], v);
}
