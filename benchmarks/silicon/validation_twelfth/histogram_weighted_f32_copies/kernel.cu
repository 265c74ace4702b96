// Sums of weights by bins with atomics of floats in shared memory, COPIES copies a block, added to the result at the end.
struct alignas(VEC * 4) Keys { unsigned v[VEC]; };
struct alignas(VEC * 4) Floats { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
histogram_weighted_f32_copies(const Keys* __restrict__ key, const Floats* __restrict__ weight, float* __restrict__ out, int count)
{
    __shared__ float sums[COPIES][BINS];
    for (int i = threadIdx.x; i < COPIES * BINS; i += THREADS) sums[i / BINS][i % BINS] = 0.0f;
    __syncthreads();
    float* own = sums[threadIdx.x / 32 % COPIES];
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < count / VEC; i += gridDim.x * THREADS) {
        const Keys k = key[i];
        const Floats w = weight[i];
#pragma unroll
        for (int j = 0; j < VEC; ++j) atomicAdd(own + (k.v[j] & BINS - 1), w.v[j]);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += THREADS) {
        float sum = 0.0f;
#pragma unroll
        for (int c = 0; c < COPIES; ++c) sum += sums[c][i];
        atomicAdd(out + i, sum);
    }
}
