// A lane adds to the copy of its number modulo REPLICAS; copies are added up at the end.
constexpr int WORDS = 8388608 / VEC;
struct alignas(VEC * 4) Pack { unsigned w[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
histogram256_replicas(const Pack* __restrict__ x, unsigned* __restrict__ bins)
{
    __shared__ unsigned counts[256 * REPLICAS];
    for (int i = threadIdx.x; i < 256 * REPLICAS; i += 256) counts[i] = 0;
    __syncthreads();
    const int copy = threadIdx.x % REPLICAS;
#pragma unroll 2
    for (int i = blockIdx.x * 256 + threadIdx.x; i < WORDS; i += 528 * 256) {
        const Pack p = x[i];
#pragma unroll
        for (int j = 0; j < VEC; ++j)
#pragma unroll
            for (int b = 0; b < 4; ++b) {
                const int bin = p.w[j] >> 8 * b & 255;
                atomicAdd(counts + (INTERLEAVED ? bin * REPLICAS + copy : copy * 256 + bin), 1u);
            }
    }
    __syncthreads();
    unsigned sum = 0;
#pragma unroll
    for (int c = 0; c < REPLICAS; ++c) {
        const int turn = (c + threadIdx.x) % REPLICAS;
        sum += counts[INTERLEAVED ? threadIdx.x * REPLICAS + turn : c * 256 + threadIdx.x];
    }
    atomicAdd(bins + threadIdx.x, sum);
}
