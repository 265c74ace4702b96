// 32,768 channels of 256 samples; transposed direct form II. BY_TIME: the channels of one time lie side by side.
constexpr int CHANNELS = 32768, T = 256;

extern "C" __global__ void __launch_bounds__(128)
iir_biquad_channels(const float* __restrict__ x, float* __restrict__ y, float b1, float a1, float a2)
{
    const int ch = blockIdx.x * 128 + threadIdx.x;
    float s1[SECTIONS] = {}, s2[SECTIONS] = {};
#pragma unroll 1
    for (int t = 0; t < T; t += CHUNK) {
        float f[CHUNK];
        if (BY_TIME) {
#pragma unroll
            for (int i = 0; i < CHUNK; ++i) f[i] = x[(t + i) * CHANNELS + ch];
        } else {
#pragma unroll
            for (int i = 0; i < CHUNK; i += 4) {
                const float4 p = *reinterpret_cast<const float4*>(x + ch * T + t + i);
                f[i] = p.x;
                f[i + 1] = p.y;
                f[i + 2] = p.z;
                f[i + 3] = p.w;
            }
        }
#pragma unroll
        for (int i = 0; i < CHUNK; ++i)
#pragma unroll
            for (int k = 0; k < SECTIONS; ++k) {
                const float o = 0.3f * f[i] + s1[k];
                s1[k] = b1 * f[i] - a1 * o + s2[k];
                s2[k] = 0.3f * f[i] - a2 * o;
                f[i] = o;
            }
        if (BY_TIME) {
#pragma unroll
            for (int i = 0; i < CHUNK; ++i) y[(t + i) * CHANNELS + ch] = f[i];
        } else {
#pragma unroll
            for (int i = 0; i < CHUNK; i += 4)
                *reinterpret_cast<float4*>(y + ch * T + t + i) = make_float4(f[i], f[i + 1], f[i + 2], f[i + 3]);
        }
    }
}
