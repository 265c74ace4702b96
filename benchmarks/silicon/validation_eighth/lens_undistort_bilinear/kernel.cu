// 2,048 x 1,024 pixels; a map has a shift of up to 16 pixels for each.
constexpr int W = 2048, H = 1024;

extern "C" __global__ void __launch_bounds__(128)
lens_undistort_bilinear(const unsigned char* __restrict__ x, const float2* __restrict__ map, unsigned char* __restrict__ y,
                        float k1, float k2)
{
    const int oy = blockIdx.y * 4 + threadIdx.y;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int ox = (blockIdx.x * EACH + e) * 32 + threadIdx.x, at = oy * W + ox;
        float sx, sy;
        if (MAPPED) {
            const float2 m = map[at];
            sx = ox + 16.0f * m.x;
            sy = oy + 16.0f * m.y;
        } else {
            const float dx = (ox - 1023.5f) * (1.0f / 1024.0f), dy = (oy - 511.5f) * (1.0f / 1024.0f), r2 = dx * dx + dy * dy;
            const float c = 1.0f + r2 * (k1 + r2 * k2);
            sx = dx * c * 1024.0f + 1023.5f;
            sy = dy * c * 1024.0f + 511.5f;
        }
        sx = fminf(fmaxf(sx, 0.0f), W - 1.0f);
        sy = fminf(fmaxf(sy, 0.0f), H - 1.0f);
        const int x0 = (int)sx, y0 = (int)sy, x1 = min(x0 + 1, W - 1), y1 = min(y0 + 1, H - 1);
        const float fx = sx - x0, fy = sy - y0, w11 = fx * fy, w10 = fx - w11, w01 = fy - w11, w00 = 1.0f - fx - w01;
        if (PLANAR) {
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                const unsigned char* p = x + c * W * H;
                y[c * W * H + at] = (unsigned char)(p[y0 * W + x0] * w00 + p[y0 * W + x1] * w10 + p[y1 * W + x0] * w01 +
                                                    p[y1 * W + x1] * w11 + 0.5f);
            }
        } else {
            const uchar4* p = reinterpret_cast<const uchar4*>(x);
            const uchar4 a = p[y0 * W + x0], b = p[y0 * W + x1], c = p[y1 * W + x0], d = p[y1 * W + x1];
            uchar4 o;
            o.x = (unsigned char)(a.x * w00 + b.x * w10 + c.x * w01 + d.x * w11 + 0.5f);
            o.y = (unsigned char)(a.y * w00 + b.y * w10 + c.y * w01 + d.y * w11 + 0.5f);
            o.z = (unsigned char)(a.z * w00 + b.z * w10 + c.z * w01 + d.z * w11 + 0.5f);
            o.w = 255;
            reinterpret_cast<uchar4*>(y)[at] = o;
        }
    }
}
