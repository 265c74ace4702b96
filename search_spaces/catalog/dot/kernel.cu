// dot: the dot product of two long vectors, by a grid-stride loop.
//
// What it shows: bytes in flight. Each accumulator is a chain of its own with its own pair of loads, so
// accumulators multiply the outstanding loads of a warp, as more warps do; DRAM bandwidth is reached once
// either gives enough. Beyond that more accumulators only cost registers, and more blocks only cost
// launches and atomic additions to the one result.
//
// There is no __launch_bounds__: it would make the compiler ignore the register cap.

extern "C" __global__ void
dot(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ result, int n)
{
    constexpr int A = ACCUMULATORS;
    constexpr int WARP = 32;
    const int stride = gridDim.x * BLOCK_SIZE;
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;

    float sum[A] = {};
#pragma unroll 1
    for (; i + (A - 1) * stride < n; i += A * stride) {
#pragma unroll
        for (int a = 0; a < A; ++a) {
            sum[a] = fmaf(x[i + a * stride], y[i + a * stride], sum[a]);
        }
    }
#pragma unroll 1
    for (; i < n; i += stride) {
        sum[0] = fmaf(x[i], y[i], sum[0]);
    }
#pragma unroll
    for (int a = 1; a < A; ++a) {
        sum[0] += sum[a];
    }
#pragma unroll
    for (int offset = WARP / 2; offset > 0; offset /= 2) {
        sum[0] += __shfl_down_sync(0xffffffffu, sum[0], offset);
    }
    if (threadIdx.x % WARP == 0) {
        atomicAdd(result, sum[0]);
    }
}
