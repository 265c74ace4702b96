// sum_reduction: the partial sums of a long vector, one a block.
//
// What it shows: how far to carry a thread before it must talk to the others. The closing steps (warp
// shuffles, shared memory, a barrier, a second round of shuffles) cost the same for every block, so a few
// elements a thread spend their time in synchronisation and block launches, and many leave fewer blocks to
// share out over the SMs. Accumulators keep several loads in flight within a thread.
//
// There is no __launch_bounds__: it would make the compiler ignore the register cap.

extern "C" __global__ void
sum_reduction(const float* __restrict__ data, float* __restrict__ partial)
{
    constexpr int A = ACCUMULATORS;
    constexpr int ITEMS = ELEMENTS_PER_THREAD;
    constexpr int WARP = 32;
    constexpr int WARPS = BLOCK_SIZE / WARP;
    static_assert(ITEMS % A == 0, "the accumulators share the elements of a thread evenly");
    __shared__ float warp_sum[WARPS];

    const float* mine = data + static_cast<long long>(blockIdx.x) * BLOCK_SIZE * ITEMS + threadIdx.x;
    float sum[A] = {};
#pragma unroll 1
    for (int item = 0; item < ITEMS; item += A) {
#pragma unroll
        for (int a = 0; a < A; ++a) {
            sum[a] += mine[(item + a) * BLOCK_SIZE];
        }
    }
#pragma unroll
    for (int a = 1; a < A; ++a) {
        sum[0] += sum[a];
    }
#pragma unroll
    for (int offset = WARP / 2; offset > 0; offset /= 2) {
        sum[0] += __shfl_down_sync(0xffffffffu, sum[0], offset);
    }
    const int lane = threadIdx.x % WARP;
    const int warp = threadIdx.x / WARP;
    if (lane == 0) {
        warp_sum[warp] = sum[0];
    }
    __syncthreads();
    if (warp == 0) {
        float total = lane < WARPS ? warp_sum[lane] : 0.0f;
#pragma unroll
        for (int offset = WARP / 2; offset > 0; offset /= 2) {
            total += __shfl_down_sync(0xffffffffu, total, offset);
        }
        if (lane == 0) {
            partial[blockIdx.x] = total;
        }
    }
}
