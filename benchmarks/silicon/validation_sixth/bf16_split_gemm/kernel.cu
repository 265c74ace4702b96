// C = A B^T of 768 x 768 matrices by rows. A number is high + low; low x low is left out.
#include <cuda_bf16.h>

constexpr int N = 768, K = 768, BN = 64, TILES = K / BK, STRIDE = BK + 8, WM = BM / 2, WN = BN / 2;
constexpr int MI = WM / 16, NI = WN / 8, LA = BM * BK / 512, LB = BN * BK / 512, PARTS = TERMS == 1 ? 1 : 2;

__device__ void split(__nv_bfloat16* high, __nv_bfloat16* low, float4 x)
{
    const __nv_bfloat162 h0 = __floats2bfloat162_rn(x.x, x.y), h1 = __floats2bfloat162_rn(x.z, x.w);
    reinterpret_cast<__nv_bfloat162*>(high)[0] = h0;
    reinterpret_cast<__nv_bfloat162*>(high)[1] = h1;
#if TERMS == 3
    const float2 f0 = __bfloat1622float2(h0), f1 = __bfloat1622float2(h1);
    reinterpret_cast<__nv_bfloat162*>(low)[0] = __floats2bfloat162_rn(x.x - f0.x, x.y - f0.y);
    reinterpret_cast<__nv_bfloat162*>(low)[1] = __floats2bfloat162_rn(x.z - f1.x, x.w - f1.y);
#endif
}

__device__ unsigned pair(const __nv_bfloat16* p) { return *reinterpret_cast<const unsigned*>(p); }

__device__ void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(128)
bf16_split_gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    __shared__ __align__(16) __nv_bfloat16 as[PARTS][BM * STRIDE], bs[PARTS][BN * STRIDE];
    const int lane = threadIdx.x % 32, wm = threadIdx.x / 64 * WM, wn = threadIdx.x / 32 % 2 * WN;
    float acc[MI][NI][4] = {};
    float4 xa[LA], xb[LB];
    auto read = [&](int tile) {
#pragma unroll
        for (int l = 0; l < LA; ++l) {
            const int i = l * 128 + threadIdx.x, row = i / (BK / 4), col = i % (BK / 4) * 4;
            xa[l] = *reinterpret_cast<const float4*>(a + (blockIdx.y * BM + row) * K + tile * BK + col);
        }
#pragma unroll
        for (int l = 0; l < LB; ++l) {
            const int i = l * 128 + threadIdx.x, row = i / (BK / 4), col = i % (BK / 4) * 4;
            xb[l] = *reinterpret_cast<const float4*>(b + (blockIdx.x * BN + row) * K + tile * BK + col);
        }
    };
    if (AHEAD) read(0);
    for (int t = 0; t < TILES; ++t) {
        if (!AHEAD) read(t);
#pragma unroll
        for (int l = 0; l < LA; ++l) {
            const int i = l * 128 + threadIdx.x, at = i / (BK / 4) * STRIDE + i % (BK / 4) * 4;
            split(as[0] + at, as[PARTS - 1] + at, xa[l]);
        }
#pragma unroll
        for (int l = 0; l < LB; ++l) {
            const int i = l * 128 + threadIdx.x, at = i / (BK / 4) * STRIDE + i % (BK / 4) * 4;
            split(bs[0] + at, bs[PARTS - 1] + at, xb[l]);
        }
        __syncthreads();
        if (AHEAD && t + 1 < TILES) read(t + 1);
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            unsigned fa[PARTS][MI][4], fb[PARTS][NI][2];
#pragma unroll
            for (int p = 0; p < PARTS; ++p) {
#pragma unroll
                for (int i = 0; i < MI; ++i) {
                    const __nv_bfloat16* from = as[p] + (wm + i * 16 + lane / 4) * STRIDE + k + lane % 4 * 2;
                    fa[p][i][0] = pair(from);
                    fa[p][i][1] = pair(from + 8 * STRIDE);
                    fa[p][i][2] = pair(from + 8);
                    fa[p][i][3] = pair(from + 8 * STRIDE + 8);
                }
#pragma unroll
                for (int j = 0; j < NI; ++j) {
                    const __nv_bfloat16* from = bs[p] + (wn + j * 8 + lane / 4) * STRIDE + k + lane % 4 * 2;
                    fb[p][j][0] = pair(from);
                    fb[p][j][1] = pair(from + 8);
                }
            }
#pragma unroll
            for (int i = 0; i < MI; ++i)
#pragma unroll
                for (int j = 0; j < NI; ++j) {
#if TERMS == 3
                    multiply(acc[i][j], fa[1][i], fb[0][j]);
                    multiply(acc[i][j], fa[0][i], fb[1][j]);
#endif
                    multiply(acc[i][j], fa[0][i], fb[0][j]);
                }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
        for (int j = 0; j < NI; ++j) {
            const int row = blockIdx.y * BM + wm + i * 16 + lane / 4, col = blockIdx.x * BN + wn + j * 8 + lane % 4 * 2;
            *reinterpret_cast<float2*>(c + row * N + col) = make_float2(acc[i][j][0], acc[i][j][1]);
            *reinterpret_cast<float2*>(c + (row + 8) * N + col) = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}
