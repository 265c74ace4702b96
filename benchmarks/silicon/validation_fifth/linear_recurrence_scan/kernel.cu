// y[t] = a[t] y[t - 1] + b[t]; a thread's run by 16-byte accesses, or exchanged through shared memory.
constexpr int LENGTH = 4096, TILE = THREADS * ITEMS, WARPS = THREADS / 32;

extern "C" __global__ void __launch_bounds__(THREADS)
linear_recurrence_scan(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y)
{
#if STAGED
    __shared__ float sa[TILE + THREADS], sb[TILE + THREADS];
#endif
    __shared__ float2 sums[WARPS];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float carry = 0.0f;
#pragma unroll 1
    for (int start = 0; start < LENGTH; start += TILE) {
        const int base = blockIdx.x * LENGTH + start;
        float p[ITEMS], q[ITEMS];
#if STAGED
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int at = i * THREADS + t;
            sa[at + at / ITEMS] = a[base + at];
            sb[at + at / ITEMS] = b[base + at];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            p[i] = sa[t * (ITEMS + 1) + i];
            q[i] = sb[t * (ITEMS + 1) + i];
        }
#else
#pragma unroll
        for (int i = 0; i < ITEMS; i += 4) {
            *(float4*)&p[i] = *(const float4*)(a + base + t * ITEMS + i);
            *(float4*)&q[i] = *(const float4*)(b + base + t * ITEMS + i);
        }
#endif
#pragma unroll
        for (int i = 1; i < ITEMS; ++i) {
            q[i] += p[i] * q[i - 1];
            p[i] *= p[i - 1];
        }
        float fa = p[ITEMS - 1], fb = q[ITEMS - 1];
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const float oa = __shfl_up_sync(0xffffffff, fa, d), ob = __shfl_up_sync(0xffffffff, fb, d);
            if (lane >= d) {
                fb += fa * ob;
                fa *= oa;
            }
        }
        if (lane == 31) sums[warp] = make_float2(fa, fb);
        __syncthreads();
        float before = carry, last = carry;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            if (w < warp) before = sums[w].x * before + sums[w].y;
            last = sums[w].x * last + sums[w].y;
        }
        carry = last;
        const float ea = __shfl_up_sync(0xffffffff, fa, 1), eb = __shfl_up_sync(0xffffffff, fb, 1);
        if (lane > 0) before = ea * before + eb;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) q[i] += p[i] * before;
#if STAGED
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) sb[t * (ITEMS + 1) + i] = q[i];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int at = i * THREADS + t;
            y[base + at] = sb[at + at / ITEMS];
        }
#else
#pragma unroll
        for (int i = 0; i < ITEMS; i += 4) *(float4*)(y + base + t * ITEMS + i) = *(const float4*)&q[i];
#endif
        __syncthreads();
    }
}
