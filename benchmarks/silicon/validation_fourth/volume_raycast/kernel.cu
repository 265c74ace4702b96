// Volume rendering without texture units: parallel rays through a cube of bytes along x or z, each sample by its eight
// neighbours or the nearest one, composited front to back.
constexpr int N = 192, SIDE = 384, BLOCK_Y = 128 / BLOCK_X;

extern "C" __global__ void volume_raycast(const unsigned char* __restrict__ volume, float4* __restrict__ image, float density)
{
    const int px = blockIdx.x * BLOCK_X + threadIdx.x, py = blockIdx.y * BLOCK_Y + threadIdx.y;
    constexpr int STRIDE_U = ALONG_X ? N : 1, STRIDE_V = ALONG_X ? N * N : N, STRIDE_RAY = ALONG_X ? 1 : N * N;
    const float u = px * ((N - 2.0f) / SIDE), v = py * ((N - 2.0f) / SIDE);
    const int iu = (int)u, iv = (int)v;
    const float fu = u - iu, fv = v - iv;
    const unsigned char* base = volume + iu * STRIDE_U + iv * STRIDE_V;
    float r = 0.0f, g = 0.0f, b = 0.0f, left = 1.0f;
#if LINEAR
    auto slice = [&](int s) {
        const unsigned char* p = base + s * STRIDE_RAY;
        const float low = p[0] + fu * ((float)p[STRIDE_U] - p[0]);
        const float high = p[STRIDE_V] + fu * ((float)p[STRIDE_V + STRIDE_U] - p[STRIDE_V]);
        return low + fv * (high - low);
    };
#endif
#pragma unroll 4
    for (int s = 0; s < N - 1; ++s) {
#if LINEAR
        const float value = 0.5f * (slice(s) + slice(s + 1)) * (1.0f / 255.0f);
#else
        const float value = base[s * STRIDE_RAY] * (1.0f / 255.0f);
#endif
        const float alpha = value * value * density, weight = alpha * left;
        r += weight * value;
        g += weight * (1.0f - value);
        b += weight * value * (1.0f - value);
        left *= 1.0f - alpha;
    }
    image[py * SIDE + px] = make_float4(r, g, b, 1.0f - left);
}
