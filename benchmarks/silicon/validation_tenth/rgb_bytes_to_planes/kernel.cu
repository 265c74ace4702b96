// 4,194,304 pixels; each colour minus its mean, divided by its deviation.
#include <cuda_fp16.h>
constexpr int BLOCK_PX = PX * THREADS;
#if HALF
typedef __half Out;
#else
typedef float Out;
#endif
struct alignas(sizeof(Out) * PX) Pack { Out v[PX]; };

extern "C" __global__ void __launch_bounds__(THREADS)
rgb_bytes_to_planes(const unsigned* __restrict__ image, __half* __restrict__ planes)
{
    __shared__ unsigned words[STAGED ? BLOCK_PX * 3 / 4 : 1];
    const int first = (blockIdx.x * THREADS + threadIdx.x) * PX;
    unsigned char bytes[3 * PX];
    if (STAGED) {
        for (int i = threadIdx.x; i < BLOCK_PX * 3 / 4; i += THREADS) words[i] = image[blockIdx.x * (BLOCK_PX * 3 / 4) + i];
        __syncthreads();
        const unsigned char* from = reinterpret_cast<const unsigned char*>(words) + threadIdx.x * PX * 3;
        if (PX == 4) {
#pragma unroll
            for (int i = 0; i < 3 * PX / 4; ++i) {
                const unsigned w = words[threadIdx.x * (3 * PX / 4) + i];
#pragma unroll
                for (int j = 0; j < 4; ++j) bytes[(4 * i + j) % (3 * PX)] = w >> 8 * j;
            }
        } else {
#pragma unroll
            for (int i = 0; i < 3 * PX; ++i) bytes[i] = from[i];
        }
    } else if (PX == 4) {
#pragma unroll
        for (int i = 0; i < 3 * PX / 4; ++i) {
            const unsigned w = image[first / 4 * 3 + i];
#pragma unroll
            for (int j = 0; j < 4; ++j) bytes[(4 * i + j) % (3 * PX)] = w >> 8 * j;
        }
    } else {
#pragma unroll
        for (int i = 0; i < 3 * PX; ++i) bytes[i] = reinterpret_cast<const unsigned char*>(image)[first * 3 + i];
    }
    const float mean[3] = {123.675f, 116.28f, 103.53f}, scale[3] = {0.01712f, 0.01751f, 0.01743f};
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        Pack p;
#pragma unroll
        for (int i = 0; i < PX; ++i) p.v[i] = Out((bytes[3 * i + c] - mean[c]) * scale[c]);
        reinterpret_cast<Pack*>(planes)[(c * 4194304 + first) / PX] = p;
    }
}
