// Causal bf16 attention within a window of keys, dimension 64, swizzled tiles of 32 or 64 keys, the next tile read asynchronously or not.
#include <cuda_bf16.h>
constexpr int DIM = 64, SEQ = 2048, THREADS = 32 * WARPS, NS = BC / 8, LOADS = BC * 8 / THREADS;

__device__ __forceinline__ void mma16816_bf16(float* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void ldmatrix_x4(unsigned* f, const void* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]) : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}

__device__ __forceinline__ void ldmatrix_x4_trans(unsigned* f, const void* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]) : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}

__device__ __forceinline__ void cp_async16(void* to, const void* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}

__device__ __forceinline__ void cp_async_commit()
{
    asm volatile("cp.async.commit_group;" : : : "memory");
}

template <int LEFT>
__device__ __forceinline__ void cp_async_wait()
{
    asm volatile("cp.async.wait_group %0;" : : "n"(LEFT) : "memory");
}

__device__ __forceinline__ int place(int row, int chunk)
{
    return row * DIM + (chunk ^ (row % 8)) * 8;
}

extern "C" __global__ void __launch_bounds__(THREADS)
attention_bf16_window_ring(const __nv_bfloat16* __restrict__ q, const __nv_bfloat16* __restrict__ k, const __nv_bfloat16* __restrict__ v,
                           __nv_bfloat16* __restrict__ out)
{
    alignas(16) __shared__ __nv_bfloat16 ks[AHEAD + 1][BC * DIM];
    alignas(16) __shared__ __nv_bfloat16 vs[AHEAD + 1][BC * DIM];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const int row0 = blockIdx.x * 16 * WARPS, row = row0 + warp * 16;
    const size_t base = (size_t)blockIdx.y * SEQ * DIM;
    const int from = max(row0 - WINDOW + 1, 0) / BC, to = (row0 + 16 * WARPS - 1) / BC;
    const auto load = [&](int tile) {
        const int copy = AHEAD ? tile % 2 : 0;
#pragma unroll
        for (int i = 0; i < LOADS; ++i) {
            const int e = i * THREADS + threadIdx.x;
            const size_t at = base + (size_t)(tile * BC + e / 8) * DIM + e % 8 * 8;
            cp_async16(ks[copy] + place(e / 8, e % 8), k + at);
            cp_async16(vs[copy] + place(e / 8, e % 8), v + at);
        }
        cp_async_commit();
    };
    unsigned fq[4][4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            fq[i][j] = *reinterpret_cast<const unsigned*>(q + base + (row + j % 2 * 8 + g) * DIM + i * 16 + j / 2 * 8 + 2 * t);
    float acc[8][4] = {}, top[2] = {-1.0e30f, -1.0e30f}, sum[2] = {};
    if (AHEAD) load(from);
#pragma unroll 1
    for (int tile = from; tile <= to; ++tile) {
        const int copy = AHEAD ? tile % 2 : 0;
        if (AHEAD) {
            cp_async_wait<0>();
            __syncthreads();
            if (tile < to) load(tile + 1);
        } else {
            __syncthreads();
            load(tile);
            cp_async_wait<0>();
            __syncthreads();
        }
        float s[NS][4] = {}, now[2] = {top[0], top[1]};
#pragma unroll
        for (int n = 0; n < NS; n += 2)
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                unsigned f[4];
                ldmatrix_x4(f, ks[copy] + place(n * 8 + lane / 16 * 8 + lane % 8, i * 2 + lane / 8 % 2));
                mma16816_bf16(s[n], fq[i], f);
                mma16816_bf16(s[n + 1], fq[i], f + 2);
            }
#pragma unroll
        for (int n = 0; n < NS; ++n)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const int back = row + g + j / 2 * 8 - (tile * BC + n * 8 + 2 * t + j % 2);
                s[n][j] = back >= 0 && back < WINDOW ? s[n][j] * 0.18033688f : -1.0e30f;
                now[j / 2] = fmaxf(now[j / 2], s[n][j]);
            }
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            now[r] = fmaxf(now[r], __shfl_xor_sync(~0u, now[r], 1));
            now[r] = fmaxf(now[r], __shfl_xor_sync(~0u, now[r], 2));
            const float shrink = exp2f(top[r] - now[r]);
            top[r] = now[r];
            sum[r] *= shrink;
#pragma unroll
            for (int n = 0; n < 8; ++n) {
                acc[n][2 * r] *= shrink;
                acc[n][2 * r + 1] *= shrink;
            }
        }
#pragma unroll
        for (int n = 0; n < NS; ++n)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                s[n][j] = exp2f(s[n][j] - top[j / 2]);
                sum[j / 2] += s[n][j];
            }
#pragma unroll
        for (int i = 0; i < BC / 16; ++i) {
            unsigned fp[4];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const __nv_bfloat162 h = __floats2bfloat162_rn(s[2 * i + j / 2][j % 2 * 2], s[2 * i + j / 2][j % 2 * 2 + 1]);
                fp[j] = *reinterpret_cast<const unsigned*>(&h);
            }
#pragma unroll
            for (int n = 0; n < 8; n += 2) {
                unsigned f[4];
                ldmatrix_x4_trans(f, vs[copy] + place(i * 16 + lane % 16, n + lane / 16));
                mma16816_bf16(acc[n], fp, f);
                mma16816_bf16(acc[n + 1], fp, f + 2);
            }
        }
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        sum[r] += __shfl_xor_sync(~0u, sum[r], 1);
        sum[r] += __shfl_xor_sync(~0u, sum[r], 2);
        const float by = 1.0f / sum[r];
#pragma unroll
        for (int n = 0; n < 8; ++n)
            *reinterpret_cast<__nv_bfloat162*>(out + base + (row + r * 8 + g) * DIM + n * 8 + 2 * t) =
                __floats2bfloat162_rn(acc[n][2 * r] * by, acc[n][2 * r + 1] * by);
    }
}
