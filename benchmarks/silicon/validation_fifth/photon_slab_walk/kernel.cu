// Isotropic scattering with a tenth absorbed a collision; random numbers are hashes of photon and step.
__device__ unsigned hashed(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

__device__ float unit(unsigned x) { return (x >> 8) * (1.0f / 16777216.0f); }

extern "C" __global__ void __launch_bounds__(128)
photon_slab_walk(unsigned* __restrict__ absorbed, unsigned* __restrict__ escaped)
{
#if BINS_SHARED
    __shared__ unsigned bins[64];
    if (threadIdx.x < 64) bins[threadIdx.x] = 0;
    __syncthreads();
#else
    unsigned* bins = absorbed;
#endif
    int up = 0, down = 0;
#pragma unroll 1
    for (int e = 0; e < EACH; ++e) {
        const unsigned photon = (blockIdx.x * EACH + e) * 128 + threadIdx.x;
        unsigned state = hashed(photon * 0x9e3779b9u + 1);
        float z = 0.0f, cosine = 1.0f;
        for (int step = 0; step < 1000; ++step) {
            state = hashed(state + 0x632be5abu);
            z -= cosine * __logf(1.0f - unit(state));
            if (z < 0.0f) {
                ++up;
                break;
            }
            if (z >= DEPTH) {
                ++down;
                break;
            }
            state = hashed(state + 0x632be5abu);
            if (unit(state) < 0.1f) {
                atomicAdd(bins + min((int)(z * (64.0f / DEPTH)), 63), 1u);
                break;
            }
            state = hashed(state + 0x632be5abu);
            cosine = 2.0f * unit(state) - 1.0f;
        }
    }
    up = __reduce_add_sync(0xffffffff, up);
    down = __reduce_add_sync(0xffffffff, down);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(escaped, (unsigned)up);
        atomicAdd(escaped + 1, (unsigned)down);
    }
#if BINS_SHARED
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(absorbed + threadIdx.x, bins[threadIdx.x]);
#endif
}
