// C = A B for small matrices; a thread has RT rows and CT neighbouring columns of one of them.
constexpr int PER = 576 / (RT * CT), THREADS = PER * MATS;

extern "C" __global__ void __launch_bounds__(THREADS)
batched_gemm_24(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    __shared__ alignas(16) float as[STAGED ? MATS * 576 : 4], bs[STAGED ? MATS * 576 : 4];
    const int m = threadIdx.x / PER, id = threadIdx.x % PER, col = id % (24 / CT) * CT, row = id / (24 / CT) * RT;
    const size_t base = (size_t)blockIdx.x * MATS * 576;
    const float *fa = a + base, *fb = b + base;
    if (STAGED) {
        for (int i = threadIdx.x; i < MATS * 144; i += THREADS) {
            reinterpret_cast<float4*>(as)[i] = reinterpret_cast<const float4*>(fa)[i];
            reinterpret_cast<float4*>(bs)[i] = reinterpret_cast<const float4*>(fb)[i];
        }
        __syncthreads();
        fa = as;
        fb = bs;
    }
    fa += m * 576 + row * 24;
    fb += m * 576 + col;
    float acc[RT][CT] = {};
#pragma unroll 4
    for (int k = 0; k < 24; ++k) {
        float w[CT];
#pragma unroll
        for (int j = 0; j < CT; j += 2) {
            const float2 v = *reinterpret_cast<const float2*>(fb + k * 24 + j);
            w[j] = v.x;
            w[j + 1] = v.y;
        }
#pragma unroll
        for (int i = 0; i < RT; ++i) {
            const float f = fa[i * 24 + k];
#pragma unroll
            for (int j = 0; j < CT; ++j) acc[i][j] += f * w[j];
        }
    }
    float* to = c + base + m * 576 + row * 24 + col;
#pragma unroll
    for (int i = 0; i < RT; ++i)
#pragma unroll
        for (int j = 0; j < CT; j += 2) *reinterpret_cast<float2*>(to + i * 24 + j) = make_float2(acc[i][j], acc[i][j + 1]);
}
