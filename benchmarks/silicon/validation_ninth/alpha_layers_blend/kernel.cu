// 2,097,152 pixels of red, green, blue and opacity; the first layer is the hindmost.
struct alignas(VEC * 4) Pack { unsigned v[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
alpha_layers_blend(const Pack* __restrict__ x, Pack* __restrict__ y)
{
    const int id = blockIdx.x * 256 + threadIdx.x;
    unsigned whole[VEC][3] = {};
    float real[VEC][3] = {};
#pragma unroll UNROLL
    for (int l = 0; l < LAYERS; ++l) {
        const Pack p = x[(size_t)l * (2097152 / VEC) + id];
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const unsigned alpha = p.v[j] >> 24;
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                const unsigned value = p.v[j] >> 8 * c & 255;
                if (FLOATS) {
                    const float a = alpha * (1.0f / 255.0f);
                    real[j][c] += (value - real[j][c]) * a;
                } else {
                    const unsigned sum = value * alpha + whole[j][c] * (255 - alpha) + 128;
                    whole[j][c] = (sum + (sum >> 8)) >> 8;
                }
            }
        }
    }
    Pack r;
#pragma unroll
    for (int j = 0; j < VEC; ++j) {
        r.v[j] = 0xff000000u;
#pragma unroll
        for (int c = 0; c < 3; ++c) r.v[j] |= (FLOATS ? (unsigned)(real[j][c] + 0.5f) : whole[j][c]) << 8 * c;
    }
    y[id] = r;
}
