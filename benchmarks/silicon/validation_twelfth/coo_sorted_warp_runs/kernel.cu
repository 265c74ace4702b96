// Sparse matrix by sorted coordinates: lanes with equal rows add up by shuffles before atomics, or each lane adds up its own run of entries.
extern "C" __global__ void __launch_bounds__(THREADS)
coo_sorted_warp_runs(const int* __restrict__ row, const int* __restrict__ column, const float* __restrict__ value, const float* __restrict__ x,
                     float* __restrict__ y)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x % 32;
    if (SHUFFLED) {
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int k = (id / 32 * ITEMS + i) * 32 + lane, r = row[k];
            float sum = value[k] * x[column[k]];
#pragma unroll
            for (int d = 1; d < 32; d <<= 1) {
                const float other = __shfl_down_sync(~0u, sum, d);
                const int theirs = __shfl_down_sync(~0u, r, d);
                if (lane + d < 32 && theirs == r) sum += other;
            }
            const int before = __shfl_up_sync(~0u, r, 1);
            if (lane == 0 || before != r) atomicAdd(y + r, sum);
        }
    } else {
        int r = row[id * ITEMS];
        float sum = 0.0f;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int k = id * ITEMS + i, mine = row[k];
            if (mine != r) {
                atomicAdd(y + r, sum);
                sum = 0.0f;
                r = mine;
            }
            sum += value[k] * x[column[k]];
        }
        atomicAdd(y + r, sum);
    }
}
