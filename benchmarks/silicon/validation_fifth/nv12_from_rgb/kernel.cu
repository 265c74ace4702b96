// A frame of 3,840 x 1,088 to NV12 by BT.601, two rows of PIXELS pixels a thread.
constexpr int W = 3840, H = 1088;

struct alignas(PIXELS) Bytes { unsigned char v[PIXELS]; };
struct alignas(2) Triples { unsigned char v[PIXELS * 3]; };

extern "C" __global__ void __launch_bounds__(128)
nv12_from_rgb(const unsigned char* __restrict__ rgb, unsigned char* __restrict__ luma, unsigned char* __restrict__ chroma)
{
    const int x = (blockIdx.x * 64 + threadIdx.x) * PIXELS, y = (blockIdx.y * 2 + threadIdx.y) * 2;
    if (x >= W) return;
    int red[PIXELS / 2] = {}, green[PIXELS / 2] = {}, blue[PIXELS / 2] = {};
#pragma unroll
    for (int row = 0; row < 2; ++row) {
        const int at = (y + row) * W + x;
        unsigned char c[3][PIXELS];
        if (PLANAR) {
#pragma unroll
            for (int p = 0; p < 3; ++p) {
                const Bytes b = *(const Bytes*)(rgb + p * W * H + at);
#pragma unroll
                for (int i = 0; i < PIXELS; ++i) c[p][i] = b.v[i];
            }
        } else {
            const Triples b = *(const Triples*)(rgb + at * 3);
#pragma unroll
            for (int i = 0; i < PIXELS; ++i)
#pragma unroll
                for (int p = 0; p < 3; ++p) c[p][i] = b.v[i * 3 + p];
        }
        Bytes o;
#pragma unroll
        for (int i = 0; i < PIXELS; ++i) {
            const int r = c[0][i], g = c[1][i], b = c[2][i];
            o.v[i] = FLOATS ? __float2int_rn(16.0f + 0.257f * r + 0.504f * g + 0.098f * b) : (66 * r + 129 * g + 25 * b + 4224) >> 8;
            red[i / 2] += r;
            green[i / 2] += g;
            blue[i / 2] += b;
        }
        *(Bytes*)(luma + at) = o;
    }
    Bytes o;
#pragma unroll
    for (int i = 0; i < PIXELS / 2; ++i) {
        const int r = red[i], g = green[i], b = blue[i];
        if (FLOATS) {
            o.v[i * 2] = __float2int_rn(128.0f + 0.25f * (0.439f * b - 0.291f * g - 0.148f * r));
            o.v[i * 2 + 1] = __float2int_rn(128.0f + 0.25f * (0.439f * r - 0.368f * g - 0.071f * b));
        } else {
            o.v[i * 2] = (112 * b - 74 * g - 38 * r + 131584) >> 10;
            o.v[i * 2 + 1] = (112 * r - 94 * g - 18 * b + 131584) >> 10;
        }
    }
    *(Bytes*)(chroma + y / 2 * W + x) = o;
}
