// Weights of five bits: an FP16 factor, 32 fifth bits and 16 bytes of nibbles a block; a byte has weights j and j + 16.
#include <cuda_fp16.h>
constexpr int LANES = 16 / BYTES, GROUP = THREADS / LANES;
struct alignas(BYTES * 2) Pack { __half h[BYTES]; };

extern "C" __global__ void __launch_bounds__(THREADS)
dequant_q5_blocks_f16(const unsigned char* __restrict__ blocks, __half* __restrict__ out)
{
    alignas(8) __shared__ unsigned char kept[STAGED ? GROUP * 22 : 8];
    const int g = threadIdx.x / LANES, lane = threadIdx.x % LANES;
#pragma unroll 1
    for (int e = 0; e < EACH; ++e) {
        const size_t first = ((size_t)blockIdx.x * EACH + e) * GROUP;
        if (STAGED) {
            if (e) __syncthreads();
            for (int i = threadIdx.x; i < GROUP * 22 / 8; i += THREADS)
                reinterpret_cast<uint2*>(kept)[STAGED ? i : 0] = reinterpret_cast<const uint2*>(blocks + first * 22)[i];
            __syncthreads();
        }
        const unsigned char* from = STAGED ? kept + (STAGED ? g * 22 : 0) : blocks + (first + g) * 22;
        const unsigned short* words = reinterpret_cast<const unsigned short*>(from);
        const float d = __half2float(*reinterpret_cast<const __half*>(from));
        const unsigned high = words[1] | (unsigned)words[2] << 16;
        unsigned q;
        if (BYTES == 1) q = from[6 + lane];
        else q = words[3 + lane * 2] | (unsigned)words[4 + (BYTES == 1 ? 0 : lane * 2)] << 16;
        Pack low, up;
#pragma unroll
        for (int j = 0; j < BYTES; ++j) {
            const int at = lane * BYTES + j;
            low.h[j] = __float2half_rn(d * (int)((q >> 8 * j & 15) + (high >> at & 1) * 16) - d * 16.0f);
            up.h[j] = __float2half_rn(d * (int)((q >> 8 * j + 4 & 15) + (high >> at + 16 & 1) * 16) - d * 16.0f);
        }
        *reinterpret_cast<Pack*>(out + (first + g) * 32 + lane * BYTES) = low;
        *reinterpret_cast<Pack*>(out + (first + g) * 32 + 16 + lane * BYTES) = up;
    }
}
