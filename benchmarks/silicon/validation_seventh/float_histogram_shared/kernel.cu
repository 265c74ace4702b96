// Weights added to bins in shared memory, COPIES of them by warp; the sums of a block to global memory by atomics.
struct alignas(VEC * 4) Keys { unsigned v[VEC]; };
struct alignas(VEC * 4) Floats { float v[VEC]; };
constexpr int PACKS = 4194304 / VEC;

extern "C" __global__ void __launch_bounds__(256)
float_histogram_shared(const Keys* __restrict__ keys, const Floats* __restrict__ weights, float* __restrict__ out)
{
    __shared__ float bins[COPIES][BINS];
    for (int i = threadIdx.x; i < COPIES * BINS; i += 256) bins[0][i] = 0.0f;
    __syncthreads();
    float* mine = bins[threadIdx.x / 32 % COPIES];
#pragma unroll 2
    for (int i = blockIdx.x * 256 + threadIdx.x; i < PACKS; i += BLOCKS * 256) {
        const Keys k = keys[i];
        const Floats w = weights[i];
#pragma unroll
        for (int j = 0; j < VEC; ++j) atomicAdd(mine + k.v[j] % BINS, w.v[j]);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += 256) {
        float sum = 0.0f;
#pragma unroll
        for (int c = 0; c < COPIES; ++c) sum += bins[c][i];
        atomicAdd(out + i, sum);
    }
}
