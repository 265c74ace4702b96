// Stores of WIDTH words a lane, lanes STRIDE words apart, from every SM into an L2-sized region, as fast as they go.
extern "C" __global__ void store_rate(unsigned* __restrict__ data, int steps) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned threads = gridDim.x * blockDim.x;
#pragma unroll 4
    for (int s = 0; s < steps; ++s) {
        unsigned* at = data + (size_t)(((thread + s * threads) * STRIDE) & 4194303u);
#if WIDTH == 1
        *at = s;
#elif WIDTH == 2
        *(uint2*)at = make_uint2(s, s);
#else
        *(uint4*)at = make_uint4(s, s, s, s);
#endif
    }
}
