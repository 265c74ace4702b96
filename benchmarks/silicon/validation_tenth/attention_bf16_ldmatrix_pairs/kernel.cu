// Heads of 1,024 queries and keys; a warp has 16 queries. Scores are scaled for exponentials to the base 2.
#include <cuda_bf16.h>
constexpr int THREADS = 32 * WARPS, LD = DIM + 8, VECS = DIM / 8, KS = DIM / 16, NS = TK / 8, ND = DIM / 8, TILES = 1024 / TK;

__device__ __forceinline__ void mma16816bf(float* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void ldm4(unsigned* f, const void* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]) : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}

__device__ __forceinline__ void ldm4t(unsigned* f, const void* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]) : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}

__device__ __forceinline__ void cp16(void* to, const void* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}

__device__ __forceinline__ void cp_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int N>
__device__ __forceinline__ void cp_wait()
{
    asm volatile("cp.async.wait_group %0;" :: "n"(N) : "memory");
}

__device__ __forceinline__ float ex2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ unsigned packed(float a, float b)
{
    const __nv_bfloat162 h = __floats2bfloat162_rn(a, b);
    return *reinterpret_cast<const unsigned*>(&h);
}

extern "C" __global__ void __launch_bounds__(THREADS)
attention_bf16_ldmatrix_pairs(const __nv_bfloat16* __restrict__ q, const __nv_bfloat16* __restrict__ k,
                              const __nv_bfloat16* __restrict__ v, __nv_bfloat16* __restrict__ out)
{
    alignas(16) __shared__ __nv_bfloat16 ks[STAGES][TK * LD], vs[STAGES][TK * LD];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const size_t base = (size_t)blockIdx.y * 1024 * DIM;
    const int row = (blockIdx.x * WARPS + warp) * 16;
    unsigned f[KS][4];
#pragma unroll
    for (int i = 0; i < KS; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            f[i][j] = *reinterpret_cast<const unsigned*>(q + base + (row + j % 2 * 8 + g) * DIM + i * 16 + j / 2 * 8 + 2 * t);
    auto fetch = [&](int tile, int s) {
        for (int i = threadIdx.x; i < TK * VECS; i += THREADS) {
            const size_t from = base + (size_t)(tile * TK + i / VECS) * DIM + i % VECS * 8;
            cp16(ks[s] + i / VECS * LD + i % VECS * 8, k + from);
            cp16(vs[s] + i / VECS * LD + i % VECS * 8, v + from);
        }
        cp_commit();
    };
    float acc[ND][4] = {}, top[2] = {-1.0e30f, -1.0e30f}, sum[2] = {};
    fetch(0, 0);
#pragma unroll 1
    for (int tile = 0; tile < TILES; ++tile) {
        const int s = STAGES == 2 ? tile % 2 : 0;
        if (STAGES == 2 && tile + 1 < TILES) {
            fetch(tile + 1, s ^ 1);
            cp_wait<1>();
        } else {
            cp_wait<0>();
        }
        __syncthreads();
        float p[NS][4] = {}, now[2] = {top[0], top[1]};
#pragma unroll
        for (int n = 0; n < NS; n += 2)
#pragma unroll
            for (int i = 0; i < KS; ++i) {
                unsigned h[4];
                ldm4(h, ks[s] + (n * 8 + lane / 16 * 8 + lane % 8) * LD + i * 16 + lane / 8 % 2 * 8);
                mma16816bf(p[n], f[i], h);
                mma16816bf(p[n + 1], f[i], h + 2);
            }
#pragma unroll
        for (int n = 0; n < NS; ++n)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                p[n][j] *= 0.18f;
                now[j / 2] = fmaxf(now[j / 2], p[n][j]);
            }
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            now[r] = fmaxf(now[r], __shfl_xor_sync(~0u, now[r], 1));
            now[r] = fmaxf(now[r], __shfl_xor_sync(~0u, now[r], 2));
            const float shrink = ex2(top[r] - now[r]);
            top[r] = now[r];
            sum[r] *= shrink;
#pragma unroll
            for (int n = 0; n < ND; ++n) {
                acc[n][2 * r] *= shrink;
                acc[n][2 * r + 1] *= shrink;
            }
        }
#pragma unroll
        for (int n = 0; n < NS; ++n)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                p[n][j] = ex2(p[n][j] - top[j / 2]);
                sum[j / 2] += p[n][j];
            }
#pragma unroll
        for (int i = 0; i < TK / 16; ++i) {
            const unsigned e[4] = {packed(p[2 * i][0], p[2 * i][1]), packed(p[2 * i][2], p[2 * i][3]),
                                   packed(p[2 * i + 1][0], p[2 * i + 1][1]), packed(p[2 * i + 1][2], p[2 * i + 1][3])};
#pragma unroll
            for (int n = 0; n < ND; n += 2) {
                unsigned h[4];
                ldm4t(h, vs[s] + (i * 16 + lane % 16) * LD + n * 8 + lane / 16 * 8);
                mma16816bf(acc[n], e, h);
                mma16816bf(acc[n + 1], e, h + 2);
            }
        }
        __syncthreads();
        if (STAGES == 1 && tile + 1 < TILES) fetch(tile + 1, 0);
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        sum[r] += __shfl_xor_sync(~0u, sum[r], 1);
        sum[r] += __shfl_xor_sync(~0u, sum[r], 2);
        sum[r] = 1.0f / sum[r];
#pragma unroll
        for (int n = 0; n < ND; ++n)
            *reinterpret_cast<unsigned*>(out + base + (row + r * 8 + g) * DIM + n * 8 + 2 * t) =
                packed(acc[n][2 * r] * sum[r], acc[n][2 * r + 1] * sum[r]);
    }
}
