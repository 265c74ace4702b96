// Maximum of 3 x 3 with stride two of planes of 112 x 112; a thread goes down RUN rows and keeps the row that two results share.
constexpr int N = 112, M = 56;

extern "C" __global__ void __launch_bounds__(THREADS)
maxpool3s2_nchw_f32_columns(const float* __restrict__ in, float* __restrict__ out)
{
    constexpr int COLUMNS = M / VEC, STRIPS = M / RUN;
    const int id = blockIdx.x * THREADS + threadIdx.x, x = id % COLUMNS * VEC, y0 = id / COLUMNS % STRIPS * RUN;
    const float* from = in + (size_t)(id / COLUMNS / STRIPS) * N * N;
    float* to = out + (size_t)(id / COLUMNS / STRIPS) * M * M;
    const auto row = [&](int y, float* most) {
        float v[2 * VEC + 1];
        v[0] = x > 0 ? from[y * N + 2 * x - 1] : -3.0e38f;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const float2 p = *reinterpret_cast<const float2*>(from + y * N + 2 * x + 2 * j);
            v[2 * j + 1] = p.x;
            v[2 * j + 2] = p.y;
        }
#pragma unroll
        for (int j = 0; j < VEC; ++j) most[j] = fmaxf(fmaxf(v[2 * j], v[2 * j + 1]), v[2 * j + 2]);
    };
    float above[VEC];
#pragma unroll
    for (int j = 0; j < VEC; ++j) above[j] = -3.0e38f;
    if (y0 > 0) row(2 * y0 - 1, above);
#pragma unroll
    for (int r = 0; r < RUN; ++r) {
        float a[VEC], b[VEC];
        row(2 * (y0 + r), a);
        row(2 * (y0 + r) + 1, b);
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            to[(y0 + r) * M + x + j] = fmaxf(fmaxf(above[j], a[j]), b[j]);
            above[j] = b[j];
        }
    }
}
