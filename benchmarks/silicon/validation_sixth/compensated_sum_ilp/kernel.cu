// A number of an access goes to accumulator (access and place) mod ACCUMULATORS; a block leaves a sum and a rest.
constexpr int THREADS = 512 * 256, ACCESSES = 8388608 / VEC / THREADS, TOGETHER = ACCUMULATORS / VEC > 1 ? ACCUMULATORS / VEC : 1;

struct alignas(VEC * 4) Pack { float v[VEC]; };

__device__ void add(float& sum, float& rest, float x)
{
#if NEUMAIER
    const float t = __fadd_rn(sum, x);
    rest = __fadd_rn(rest, fabsf(sum) >= fabsf(x) ? __fadd_rn(__fsub_rn(sum, t), x) : __fadd_rn(__fsub_rn(x, t), sum));
    sum = t;
#else
    const float y = __fsub_rn(x, rest), t = __fadd_rn(sum, y);
    rest = __fsub_rn(__fsub_rn(t, sum), y);
    sum = t;
#endif
}

extern "C" __global__ void __launch_bounds__(256) compensated_sum_ilp(const Pack* __restrict__ x, float* __restrict__ sums)
{
    float sum[ACCUMULATORS] = {}, rest[ACCUMULATORS] = {};
    const int thread = blockIdx.x * 256 + threadIdx.x;
#pragma unroll 2
    for (int a = 0; a < ACCESSES; a += TOGETHER) {
        Pack p[TOGETHER];
#pragma unroll
        for (int t = 0; t < TOGETHER; ++t) p[t] = x[(a + t) * THREADS + thread];
#pragma unroll
        for (int t = 0; t < TOGETHER; ++t)
#pragma unroll
            for (int k = 0; k < VEC; ++k) add(sum[(t * VEC + k) % ACCUMULATORS], rest[(t * VEC + k) % ACCUMULATORS], p[t].v[k]);
    }
#pragma unroll
    for (int k = 1; k < ACCUMULATORS; ++k) {
        add(sum[0], rest[0], sum[k]);
        add(sum[0], rest[0], NEUMAIER ? rest[k] : -rest[k]);
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        const float other = __shfl_down_sync(0xffffffff, sum[0], d), left = __shfl_down_sync(0xffffffff, rest[0], d);
        add(sum[0], rest[0], other);
        add(sum[0], rest[0], NEUMAIER ? left : -left);
    }
    __shared__ float part[8], over[8];
    if (threadIdx.x % 32 == 0) {
        part[threadIdx.x / 32] = sum[0];
        over[threadIdx.x / 32] = rest[0];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
#pragma unroll
        for (int w = 1; w < 8; ++w) {
            add(sum[0], rest[0], part[w]);
            add(sum[0], rest[0], NEUMAIER ? over[w] : -over[w]);
        }
        sums[2 * blockIdx.x] = sum[0];
        sums[2 * blockIdx.x + 1] = rest[0];
    }
}
