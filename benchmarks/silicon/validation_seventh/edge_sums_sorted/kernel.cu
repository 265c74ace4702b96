// Messages along edges sorted by target. Mode 0: an atomic an edge; 1: sums of a thread's runs first;
// 2: neighbouring edges in neighbouring lanes, sums of a warp's runs first.
constexpr int EDGES = 4194304;

extern "C" __global__ void __launch_bounds__(256)
edge_sums_sorted(const int* __restrict__ order, const int* __restrict__ from, const float* __restrict__ rank,
                 const float* __restrict__ weight, float* __restrict__ out)
{
#if MODE == 1
    const int first = (blockIdx.x * 256 + threadIdx.x) * EACH;
    float sum = 0.0f;
    int last = order[first] / DEGREE;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int target = order[first + e] / DEGREE;
        if (target != last) {
            atomicAdd(out + last, sum);
            sum = 0.0f;
            last = target;
        }
        sum += rank[from[first + e]] * weight[first + e];
    }
    atomicAdd(out + last, sum);
#else
    const int first = blockIdx.x * 256 * EACH + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = first + e * 256, target = order[i] / DEGREE;
        float sum = rank[from[i]] * weight[i];
#if MODE == 2
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const float s = __shfl_down_sync(~0u, sum, d);
            const int t = __shfl_down_sync(~0u, target, d);
            if (lane + d < 32 && t == target) sum += s;
        }
        const int before = __shfl_up_sync(~0u, target, 1);
        if (lane == 0 || before != target) atomicAdd(out + target, sum);
#else
        atomicAdd(out + target, sum);
#endif
    }
#endif
}
