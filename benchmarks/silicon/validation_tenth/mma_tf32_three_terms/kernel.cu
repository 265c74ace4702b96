// C = A B^T of 1,024; a warp has 32 x 32 results. With three terms small parts times large ones are added.
constexpr int THREADS = 2 * BN, LD = BK + PAD, RIGHT = BN / 32;

__device__ __forceinline__ void mma1688tf(float* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ unsigned to_tf32(float x)
{
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
    return r;
}

extern "C" __global__ void __launch_bounds__(THREADS)
mma_tf32_three_terms(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    alignas(16) __shared__ float as[64 * LD], bs[BN * LD];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const int wy = warp / RIGHT * 32, wx = warp % RIGHT * 32, row0 = blockIdx.y * 64, col0 = blockIdx.x * BN;
    float acc[2][4][4] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < 1024; k0 += BK) {
        for (int p = threadIdx.x; p < 64 * BK / 4; p += THREADS)
            *reinterpret_cast<float4*>(as + p / (BK / 4) * LD + p % (BK / 4) * 4) =
                *reinterpret_cast<const float4*>(a + (row0 + p / (BK / 4)) * 1024 + k0 + p % (BK / 4) * 4);
        for (int p = threadIdx.x; p < BN * BK / 4; p += THREADS)
            *reinterpret_cast<float4*>(bs + p / (BK / 4) * LD + p % (BK / 4) * 4) =
                *reinterpret_cast<const float4*>(b + (col0 + p / (BK / 4)) * 1024 + k0 + p % (BK / 4) * 4);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k += 8) {
            unsigned ha[2][4], la[2][4], hb[4][2], lb[4][2];
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    const float f = as[(wy + i * 16 + j % 2 * 8 + g) * LD + k + j / 2 * 4 + t];
                    ha[i][j] = to_tf32(f);
                    la[i][j] = to_tf32(f - __uint_as_float(ha[i][j]));
                }
#pragma unroll
            for (int n = 0; n < 4; ++n)
#pragma unroll
                for (int j = 0; j < 2; ++j) {
                    const float f = bs[(wx + n * 8 + g) * LD + k + j * 4 + t];
                    hb[n][j] = to_tf32(f);
                    lb[n][j] = to_tf32(f - __uint_as_float(hb[n][j]));
                }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int n = 0; n < 4; ++n) {
                    if (TERMS == 3) {
                        mma1688tf(acc[i][n], la[i], hb[n]);
                        mma1688tf(acc[i][n], ha[i], lb[n]);
                    }
                    mma1688tf(acc[i][n], ha[i], hb[n]);
                }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int n = 0; n < 4; ++n)
#pragma unroll
            for (int j = 0; j < 2; ++j)
                *reinterpret_cast<float2*>(c + (row0 + wy + i * 16 + j * 8 + g) * 1024 + col0 + wx + n * 8 + 2 * t) =
                    make_float2(acc[i][n][2 * j], acc[i][n][2 * j + 1]);
}
