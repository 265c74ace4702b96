// Columns of a deformable 3 x 3 convolution: every tap of every output pixel is read at an offset of its own by
// bilinear interpolation, weighted by a mask or not, CHANNELS_EACH channels a thread.
constexpr int SIDE = 64, CHANNELS = 64;

__device__ __forceinline__ float at(const float* plane, int y, int x)
{
    return y >= 0 && y < SIDE && x >= 0 && x < SIDE ? plane[y * SIDE + x] : 0.0f;
}

extern "C" __global__ void deform_sample(const float* __restrict__ image, const float* __restrict__ offsets,
                                         const float* __restrict__ masks, float* __restrict__ columns)
{
    const int pixel = blockIdx.x * THREADS + threadIdx.x, x = pixel % SIDE, y = pixel / SIDE;
    const int c0 = blockIdx.y * CHANNELS_EACH, batch = blockIdx.z;
    for (int tap = 0; tap < 9; ++tap) {
        const size_t o = ((size_t)batch * 9 + tap) * SIDE * SIDE + pixel;
        const float dy = (offsets[2 * ((size_t)batch * 9 + tap) * SIDE * SIDE + pixel] - 0.5f) * SPREAD;
        const float dx = (offsets[(2 * ((size_t)batch * 9 + tap) + 1) * SIDE * SIDE + pixel] - 0.5f) * SPREAD;
        const float py = y - 1 + tap / 3 + dy, px = x - 1 + tap % 3 + dx;
        const float fy = floorf(py), fx = floorf(px), ly = py - fy, lx = px - fx;
        const int y0 = (int)fy, x0 = (int)fx;
        const float m = MASKED ? masks[o] : 1.0f;
        const float w00 = (1.0f - ly) * (1.0f - lx) * m, w01 = (1.0f - ly) * lx * m;
        const float w10 = ly * (1.0f - lx) * m, w11 = ly * lx * m;
#pragma unroll
        for (int e = 0; e < CHANNELS_EACH; ++e) {
            const int c = c0 + e;
            const float* plane = image + ((size_t)batch * CHANNELS + c) * SIDE * SIDE;
            columns[(((size_t)batch * CHANNELS + c) * 9 + tap) * SIDE * SIDE + pixel] =
                w00 * at(plane, y0, x0) + w01 * at(plane, y0, x0 + 1) + w10 * at(plane, y0 + 1, x0) +
                w11 * at(plane, y0 + 1, x0 + 1);
        }
    }
}
