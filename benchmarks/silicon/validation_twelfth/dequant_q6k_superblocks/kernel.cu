// Weights of six bits in blocks of 210 bytes to FP16: lower bits, upper bits, scales and a factor lie in parts of a block.
#include <cuda_fp16.h>
constexpr int BYTES = 210, PAIRS = BYTES / 2, LANES = 64 / PER, HELD = THREADS / LANES;

extern "C" __global__ void __launch_bounds__(THREADS)
dequant_q6k_superblocks(const unsigned short* __restrict__ in, __half* __restrict__ out)
{
    __shared__ unsigned short copy[STAGED ? HELD * EACH * PAIRS : 1];
    const size_t first = (size_t)blockIdx.x * HELD * EACH;
    if (STAGED) {
#pragma unroll 4
        for (int i = threadIdx.x; i < HELD * EACH * PAIRS; i += THREADS) copy[STAGED ? i : 0] = in[first * PAIRS + i];
        __syncthreads();
    }
    const int n = threadIdx.x % LANES / (LANES / 2), l = threadIdx.x % (LANES / 2) * PER;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int block = e * HELD + threadIdx.x / LANES;
        const unsigned short* words = STAGED ? copy + block * PAIRS : in + (first + block) * PAIRS;
        const unsigned char* bytes = reinterpret_cast<const unsigned char*>(words);
        const float d = __half2float(*reinterpret_cast<const __half*>(words + 104));
        unsigned a, b, h;
        if (PER == 2) {
            a = words[n * 32 + l / 2];
            b = words[n * 32 + 16 + l / 2];
            h = words[64 + n * 16 + l / 2];
        } else {
            a = bytes[n * 64 + l];
            b = bytes[n * 64 + 32 + l];
            h = bytes[128 + n * 32 + l];
        }
        __half* to = out + (first + block) * 256 + n * 128 + l;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float s = d * (float)(signed char)bytes[192 + n * 8 + l / 16 + 2 * i];
            float v[PER];
#pragma unroll
            for (int j = 0; j < PER; ++j) {
                const unsigned low = (i % 2 ? b : a) >> (8 * j + i / 2 * 4) & 15, high = h >> (8 * j + 2 * i) & 3;
                v[j] = s * (float)((int)(low | high << 4) - 32);
            }
            if (PER == 2) *reinterpret_cast<__half2*>(to + 32 * i) = __floats2half2_rn(v[0], v[PER - 1]);
            else to[32 * i] = __float2half(v[0]);
        }
    }
}
