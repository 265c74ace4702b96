// Uniform numbers by MRG32k3a, a generator a thread; its arithmetic in FP64 or in whole numbers, results one by one or by four.
constexpr int STREAMS = 262144;

extern "C" __global__ void __launch_bounds__(THREADS)
mrg32k3a_uniform_fill(unsigned* __restrict__ state, float* __restrict__ out)
{
    const int id = blockIdx.x * THREADS + threadIdx.x;
    unsigned s[6];
#pragma unroll
    for (int i = 0; i < 6; ++i) s[i] = state[i * STREAMS + id];
    float held[4];
#pragma unroll 4
    for (int n = 0; n < DRAWS; ++n) {
        unsigned p, q;
        if (DOUBLES) {
            double a = 1403580.0 * s[1] - 810728.0 * s[0];
            a -= floor(a / 4294967087.0) * 4294967087.0;
            double b = 527612.0 * s[5] - 1370589.0 * s[3];
            b -= floor(b / 4294944443.0) * 4294944443.0;
            p = (unsigned)a;
            q = (unsigned)b;
        } else {
            p = (unsigned)((1403580ull * s[1] + 810728ull * (4294967087ull - s[0])) % 4294967087ull);
            q = (unsigned)((527612ull * s[5] + 1370589ull * (4294944443ull - s[3])) % 4294944443ull);
        }
        s[0] = s[1];
        s[1] = s[2];
        s[2] = p;
        s[3] = s[4];
        s[4] = s[5];
        s[5] = q;
        const float u = (p > q ? p - q : p - q + 4294967087u) * 2.3283064e-10f;
        if (VEC == 4) {
            held[n % 4] = u;
            if (n % 4 == 3) reinterpret_cast<float4*>(out)[(size_t)(n / 4) * STREAMS + id] = make_float4(held[0], held[1], held[2], held[3]);
        } else {
            out[(size_t)n * STREAMS + id] = u;
        }
    }
#pragma unroll
    for (int i = 0; i < 6; ++i) state[i * STREAMS + id] = s[i];
}
