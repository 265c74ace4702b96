// 2,048 to 1,536 columns, so output x lies at 4 x / 3; the table has the weights of the three phases.
constexpr int IN = 2048, OUT = 1536;

__device__ float lanczos(float x)
{
    constexpr float PI = 3.14159265f, A = TAPS / 2;
    x = fabsf(x) < 1e-4f ? 1e-4f : x;
    return fabsf(x) < A ? A * __sinf(PI * x) * __sinf(PI * x / A) / (PI * PI * x * x) : 0.0f;
}

extern "C" __global__ void __launch_bounds__(THREADS)
lanczos_rows(const unsigned* __restrict__ image, unsigned* __restrict__ out)
{
    const int x = blockIdx.x * THREADS + threadIdx.x, at = x * 4 / 3, phase = x % 3;
    const float fraction = phase == 1 ? 1.0f / 3.0f : phase == 2 ? 2.0f / 3.0f : 0.0f;
    float w[TAPS];
#if COMPUTED
#pragma unroll
    for (int i = 0; i < TAPS; ++i) w[i] = lanczos(i - (TAPS / 2 - 1) - fraction);
#else
    __shared__ float table[3][TAPS];
    if (threadIdx.x < 3 * TAPS) {
        const int p = threadIdx.x / TAPS, i = threadIdx.x % TAPS;
        table[p][i] = lanczos(i - (TAPS / 2 - 1) - (p == 1 ? 1.0f / 3.0f : p == 2 ? 2.0f / 3.0f : 0.0f));
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TAPS; ++i) w[i] = table[phase][i];
#endif
    float total = 0.0f;
#pragma unroll
    for (int i = 0; i < TAPS; ++i) total += w[i];
    const float inverse = 1.0f / total;
#pragma unroll
    for (int r = 0; r < ROWS_EACH; ++r) {
        const int row = blockIdx.y * ROWS_EACH + r;
        float c[4] = {};
#pragma unroll
        for (int i = 0; i < TAPS; ++i) {
            const unsigned p = image[row * IN + min(max(at + i - (TAPS / 2 - 1), 0), IN - 1)];
#pragma unroll
            for (int k = 0; k < 4; ++k) c[k] += w[i] * (p >> 8 * k & 255);
        }
        unsigned o = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) o |= min(max(__float2int_rn(c[k] * inverse), 0), 255) << 8 * k;
        out[row * OUT + x] = o;
    }
}
