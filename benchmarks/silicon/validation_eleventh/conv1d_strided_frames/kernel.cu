// The first layer of a model for speech: ten samples, stride five, to 64 channels; a thread has CT channels at TT times.
constexpr int TIMES = 16384, SAMPLES = TIMES * 5 + 5, SPAN = THREADS * TT;

extern "C" __global__ void __launch_bounds__(THREADS)
conv1d_strided_frames(const float* __restrict__ wave, const float* __restrict__ weight, float* __restrict__ out)
{
    __shared__ float xs[STAGED ? SPAN * 5 + 5 : 1], ws[CT][10];
    const int t0 = blockIdx.x * SPAN, c0 = blockIdx.y * CT;
    const float* from = wave + (size_t)blockIdx.z * SAMPLES + t0 * 5;
    for (int i = threadIdx.x; i < CT * 10; i += THREADS) ws[i / 10][i % 10] = weight[c0 * 10 + i];
    if (STAGED)
        for (int i = threadIdx.x; i < SPAN * 5 + 5; i += THREADS) xs[STAGED ? i : 0] = from[i];
    __syncthreads();
    float acc[TT][CT] = {}, x[TT][10];
#pragma unroll
    for (int t = 0; t < TT; ++t)
#pragma unroll
        for (int k = 0; k < 10; ++k) {
            const int at = (t * THREADS + threadIdx.x) * 5 + k;
            x[t][k] = STAGED ? xs[STAGED ? at : 0] : from[at];
        }
#pragma unroll
    for (int c = 0; c < CT; ++c)
#pragma unroll
        for (int k = 0; k < 10; ++k) {
            const float w = ws[c][k];
#pragma unroll
            for (int t = 0; t < TT; ++t) acc[t][c] += w * x[t][k];
        }
#pragma unroll
    for (int c = 0; c < CT; ++c)
#pragma unroll
        for (int t = 0; t < TT; ++t) {
            const float v = acc[t][c];
            out[((size_t)blockIdx.z * 64 + c0 + c) * TIMES + t0 + t * THREADS + threadIdx.x] = v / (1.0f + __expf(-1.702f * v));
        }
}
