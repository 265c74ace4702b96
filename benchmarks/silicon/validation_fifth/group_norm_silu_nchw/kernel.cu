// Group norm and SiLU; a group is PER_GROUP numbers in a row, channels of 1,024 pixels.
constexpr int PIXELS = 1024, CHANNELS = 512;

struct alignas(VEC * 4) Pack { float v[VEC]; };

extern __shared__ float4 store[];

extern "C" __global__ void __launch_bounds__(THREADS)
group_norm_silu_nchw(const Pack* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
                     Pack* __restrict__ y)
{
    __shared__ float2 parts[THREADS / 32];
    Pack* keep = (Pack*)store;
    const int base = blockIdx.x * (PER_GROUP / VEC), t = threadIdx.x;
    float sum = 0.0f, squares = 0.0f;
#pragma unroll 4
    for (int i = t; i < PER_GROUP / VEC; i += THREADS) {
        const Pack p = x[base + i];
        if (KEPT) keep[i] = p;
#pragma unroll
        for (int k = 0; k < VEC; ++k) {
            sum += p.v[k];
            squares += p.v[k] * p.v[k];
        }
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        sum += __shfl_down_sync(0xffffffff, sum, d);
        squares += __shfl_down_sync(0xffffffff, squares, d);
    }
    if (t % 32 == 0) parts[t / 32] = make_float2(sum, squares);
    __syncthreads();
    sum = squares = 0.0f;
    for (int w = 0; w < THREADS / 32; ++w) {
        sum += parts[w].x;
        squares += parts[w].y;
    }
    const float mean = sum / PER_GROUP, scale = rsqrtf(squares / PER_GROUP - mean * mean + 1e-5f);
    const int first = blockIdx.x * (PER_GROUP / PIXELS) % CHANNELS;
#pragma unroll 4
    for (int i = t; i < PER_GROUP / VEC; i += THREADS) {
        Pack p = KEPT ? keep[i] : x[base + i];
        const int channel = first + i * VEC / PIXELS;
        const float g = gamma[channel] * scale, b = beta[channel];
#pragma unroll
        for (int k = 0; k < VEC; ++k) {
            const float u = (p.v[k] - mean) * g + b;
            p.v[k] = u / (1.0f + __expf(-u));
        }
        y[base + i] = p;
    }
}
