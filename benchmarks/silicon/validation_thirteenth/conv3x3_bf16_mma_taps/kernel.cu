// Convolution as nine matrix products of shifted pixels; the pixels of all taps are in shared memory once, or fragments come from L1.
#include <cuda_bf16.h>
constexpr int C = 64, K = 64, S = 32, P = 34, LD = C + 8, FM = ROWS * S / 64, FN = BN / 8;

__device__ __forceinline__ void ldsm4(unsigned* r, const void* p)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

__device__ __forceinline__ void mma_bf16_16816(float* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(128)
conv3x3_bf16_mma_taps(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ w, __nv_bfloat16* __restrict__ y)
{
    alignas(16) __shared__ __nv_bfloat16 xs[XSTAGED ? (ROWS + 2) * P * LD : 8];
    alignas(16) __shared__ __nv_bfloat16 ws[WSTAGED ? BN * LD : 8];
    const int t = threadIdx.x, lane = t % 32, mat = lane / 8, g = lane / 4, c = lane % 4 * 2;
    const int m0 = t / 32 * (ROWS * S / 4), n0 = blockIdx.y * BN;
    const __nv_bfloat16* from = x + ((size_t)blockIdx.z * P + blockIdx.x * ROWS) * P * C;
    if (XSTAGED) {
        for (int i = t; i < (ROWS + 2) * P * C / 8; i += 128)
            *reinterpret_cast<uint4*>(xs + (XSTAGED ? i / (C / 8) * LD + i % (C / 8) * 8 : 0)) = *reinterpret_cast<const uint4*>(from + i * 8);
    }
    float acc[FM][FN][4] = {};
#pragma unroll 1
    for (int tap = 0; tap < 9; ++tap) {
        const int shift = tap / 3 * P + tap % 3;
        const __nv_bfloat16* wt = w + (tap * K + n0) * C;
        if (WSTAGED) {
            __syncthreads();
            for (int i = t; i < BN * C / 8; i += 128)
                *reinterpret_cast<uint4*>(ws + (WSTAGED ? i / (C / 8) * LD + i % (C / 8) * 8 : 0)) = *reinterpret_cast<const uint4*>(wt + i * 8);
        }
        if (WSTAGED || XSTAGED) __syncthreads();
#pragma unroll
        for (int k = 0; k < C; k += 16) {
            unsigned fa[FM][4];
#pragma unroll
            for (int i = 0; i < FM; ++i) {
                if (XSTAGED) {
                    const int m = m0 + i * 16 + lane % 8 + mat % 2 * 8;
                    ldsm4(fa[i], xs + (XSTAGED ? (m / S * P + m % S + shift) * LD + k + mat / 2 * 8 : 0));
                } else {
#pragma unroll
                    for (int r = 0; r < 4; ++r) {
                        const int m = m0 + i * 16 + g + r % 2 * 8;
                        fa[i][r] = *reinterpret_cast<const unsigned*>(from + (m / S * P + m % S + shift) * C + k + c + r / 2 * 8);
                    }
                }
            }
#pragma unroll
            for (int j = 0; j < FN; j += 2) {
                unsigned fb[4];
                if (WSTAGED) ldsm4(fb, ws + (WSTAGED ? (j * 8 + lane % 8 + mat / 2 * 8) * LD + k + mat % 2 * 8 : 0));
                else {
#pragma unroll
                    for (int r = 0; r < 4; ++r) fb[r] = *reinterpret_cast<const unsigned*>(wt + (j * 8 + g + r / 2 * 8) * C + k + c + r % 2 * 8);
                }
#pragma unroll
                for (int i = 0; i < FM; ++i) {
                    mma_bf16_16816(acc[i][j], fa[i], fb);
                    mma_bf16_16816(acc[i][j + 1], fa[i], fb + 2);
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < FM; ++i)
#pragma unroll
        for (int j = 0; j < FN; ++j)
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                const int m = m0 + i * 16 + g + h * 8;
                *reinterpret_cast<__nv_bfloat162*>(y + (((size_t)blockIdx.z * S + blockIdx.x * ROWS + m / S) * S + m % S) * K + n0 + j * 8 + c) =
                    __floats2bfloat162_rn(acc[i][j][2 * h], acc[i][j][2 * h + 1]);
            }
}
