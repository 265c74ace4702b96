// Layer norm, a warp per row. The block first brings weight and bias into shared memory; every warp keeps its
// row there, too, so that memory is read once. In the manner of llm.c.
extern __shared__ float params[];

struct alignas(4 * VEC) packed { float x[VEC]; };

__device__ float warp_sum(float v)
{
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xFFFFFFFF, v, o);
    return v;
}

extern "C" __global__ void layernorm_smem_rows(const float* __restrict__ inp, const float* __restrict__ weight,
                                               const float* __restrict__ bias, float* __restrict__ out,
                                               float* __restrict__ mean, float* __restrict__ rstd)
{
    const int C = CHANNELS / VEC;
    packed* s_weight = (packed*)params;
    packed* s_bias = s_weight + C;
    packed* s_in = s_bias + C + threadIdx.y * C;

    for (int i = threadIdx.x + 32 * threadIdx.y; i < C; i += 32 * ROWS_BLOCK) {
        s_weight[i] = ((const packed*)weight)[i];
        s_bias[i] = ((const packed*)bias)[i];
    }
    __syncthreads();

    const int idx = blockIdx.x * ROWS_BLOCK + threadIdx.y;
    const packed* x = (const packed*)inp + (size_t)idx * C;
    packed* y = (packed*)out + (size_t)idx * C;

    float sum = 0.0f;
    for (int c = threadIdx.x; c < C; c += 32) {
        const packed v = x[c];
        for (int k = 0; k < VEC; ++k) sum += v.x[k];
        s_in[c] = v;
    }
    const float m = warp_sum(sum) / CHANNELS;
    float var = 0.0f;
    for (int c = threadIdx.x; c < C; c += 32) {
        const packed v = s_in[c];
        for (int k = 0; k < VEC; ++k) var += (v.x[k] - m) * (v.x[k] - m);
    }
    const float s = rsqrtf(warp_sum(var) / CHANNELS + 1e-5f);

    for (int c = threadIdx.x; c < C; c += 32) {
        const packed v = s_in[c], w = s_weight[c], b = s_bias[c];
        packed o;
        for (int k = 0; k < VEC; ++k) o.x[k] = s * (v.x[k] - m) * w.x[k] + b.x[k];
        y[c] = o;
    }
    if (threadIdx.x == 0) {
        __stcs(mean + idx, m);
        __stcs(rstd + idx, s);
    }
}
