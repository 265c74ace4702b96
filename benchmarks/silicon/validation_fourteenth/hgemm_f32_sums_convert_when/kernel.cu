// C = A B without tensor cores; shared memory holds FP32 or FP16.
#include <cuda_fp16.h>
constexpr int N = 1024, TILE = 64, TN = 4, TX = TILE / TN, THREADS = TILE / TM * TX, LA = TILE + 2, TOTAL = TILE * BK / VEC;
struct alignas(VEC * 2) Pack { __half h[VEC]; };
#if EARLY
typedef float Held;
__device__ __forceinline__ float hold(__half h) { return __half2float(h); }
__device__ __forceinline__ float use(float f) { return f; }
#else
typedef __half Held;
__device__ __forceinline__ __half hold(__half h) { return h; }
__device__ __forceinline__ float use(__half h) { return __half2float(h); }
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
hgemm_f32_sums_convert_when(const __half* __restrict__ a, const __half* __restrict__ b, __half* __restrict__ c)
{
    alignas(16) __shared__ Held as[BK][LA];
    alignas(16) __shared__ Held bs[BK][TILE];
    const int t = threadIdx.x, tx = t % TX, ty = t / TX, row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    float acc[TM][TN] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < N; k0 += BK) {
#pragma unroll
        for (int i = t; i < TOTAL; i += THREADS) {
            const int ra = i / (BK / VEC), ka = i % (BK / VEC) * VEC, kb = i / (TILE / VEC), cb = i % (TILE / VEC) * VEC;
            const Pack pa = *reinterpret_cast<const Pack*>(a + (row0 + ra) * N + k0 + ka), pb = *reinterpret_cast<const Pack*>(b + (k0 + kb) * N + col0 + cb);
#pragma unroll
            for (int j = 0; j < VEC; ++j) {
                as[ka + j][ra] = hold(pa.h[j]);
                bs[kb][cb + j] = hold(pb.h[j]);
            }
        }
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < BK; ++k) {
            float fa[TM], fb[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i) fa[i] = use(as[k][ty * TM + i]);
#pragma unroll
            for (int j = 0; j < TN; ++j) fb[j] = use(bs[k][tx * TN + j]);
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] += fa[i] * fb[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i) {
        __half2* to = reinterpret_cast<__half2*>(c + (row0 + ty * TM + i) * N + col0 + tx * TN);
        to[0] = __floats2half2_rn(acc[i][0], acc[i][1]);
        to[1] = __floats2half2_rn(acc[i][2], acc[i][3]);
    }
}
