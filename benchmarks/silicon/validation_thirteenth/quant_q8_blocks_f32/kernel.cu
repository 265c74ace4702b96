// Blocks of 32 numbers to a factor and 32 bytes; the 34 bytes of a block are written by halves of words, or together by words.
#include <cuda_fp16.h>
constexpr int OWN = 32 / LANES, BLOCKS = THREADS / LANES;
struct alignas(OWN < 4 ? OWN * 4 : 16) Four { float f[OWN < 4 ? OWN : 4]; };

extern "C" __global__ void __launch_bounds__(THREADS)
quant_q8_blocks_f32(const float* __restrict__ x, unsigned char* __restrict__ out)
{
    alignas(4) __shared__ unsigned char kept[STAGED ? BLOCKS * 34 : 4];
    const int group = threadIdx.x / LANES, lane = threadIdx.x % LANES, block = blockIdx.x * BLOCKS + group;
    float v[OWN], most = 0.0f;
#pragma unroll
    for (int i = 0; i < OWN; i += 4) {
        const Four p = *reinterpret_cast<const Four*>(x + (size_t)block * 32 + lane * OWN + i);
#pragma unroll
        for (int j = 0; j < 4 && i + j < OWN; ++j) {
            v[i + j] = p.f[OWN < 4 ? 0 : j] - 0.5f;
            most = fmaxf(most, fabsf(v[i + j]));
        }
    }
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    const float scale = most / 127.0f, by = most > 0.0f ? 127.0f / most : 0.0f;
    unsigned char* to = STAGED ? kept + (STAGED ? group * 34 : 0) : out + (size_t)block * 34;
    if (lane == 0) *reinterpret_cast<__half*>(to) = __float2half_rn(scale);
    if (OWN == 1) to[2 + lane] = (unsigned char)__float2int_rn(v[0] * by);
    else {
#pragma unroll
        for (int i = 0; i + 1 < OWN; i += 2)
            *reinterpret_cast<unsigned short*>(to + 2 + lane * OWN + i) = (__float2int_rn(v[i] * by) & 255) | (__float2int_rn(v[i + 1] * by) & 255) << 8;
    }
    if (STAGED) {
        __syncthreads();
        for (int i = threadIdx.x; i < BLOCKS * 34 / 4; i += THREADS)
            reinterpret_cast<unsigned*>(out + (size_t)blockIdx.x * BLOCKS * 34)[i] = reinterpret_cast<const unsigned*>(kept)[STAGED ? i : 0];
    }
}
