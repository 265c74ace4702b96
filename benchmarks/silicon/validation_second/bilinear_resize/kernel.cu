// Bilinear interpolation of square planes, half-pixel centres, edges clamped. The weights of a pixel serve
// PLANES_EACH planes.
extern "C" __global__ void bilinear_resize(const float* __restrict__ src, float* __restrict__ dst, int in_size,
                                           int out_size)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out_size || y >= out_size) return;
    const float ratio = (float)in_size / out_size;
    const float fy = fmaxf((y + 0.5f) * ratio - 0.5f, 0.0f), fx = fmaxf((x + 0.5f) * ratio - 0.5f, 0.0f);
    const int y0 = min((int)fy, in_size - 1), x0 = min((int)fx, in_size - 1);
    const int down = y0 < in_size - 1 ? in_size : 0, right = x0 < in_size - 1 ? 1 : 0;
    const float ly = fy - y0, lx = fx - x0, hy = 1.0f - ly, hx = 1.0f - lx;
    const float* p = src + (size_t)blockIdx.z * PLANES_EACH * in_size * in_size + y0 * in_size + x0;
    float* o = dst + (size_t)blockIdx.z * PLANES_EACH * out_size * out_size + y * out_size + x;
#pragma unroll
    for (int c = 0; c < PLANES_EACH; ++c) {
        *o = hy * (hx * p[0] + lx * p[right]) + ly * (hx * p[down] + lx * p[down + right]);
        p += (size_t)in_size * in_size;
        o += (size_t)out_size * out_size;
    }
}
