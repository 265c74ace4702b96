// rsqrt_chain: each thread walks its own slice of n floats; an element costs one load, one reciprocal
// square root and eight dependent FP32 operations.
//
// What it shows: unrolling buys instruction-level parallelism. The chains of different elements meet only
// in the running sum, so an unrolled body hoists its loads above the arithmetic and overlaps the chains;
// more loads in flight need more registers, and those cost resident warps. Neighbouring threads read
// n floats apart, so a warp's load touches 32 sectors, and the L1 cache must keep each of them until its
// eight floats are used: more resident warps can mean more misses.
//
// There is no __launch_bounds__: it would make the compiler ignore the register cap.

extern "C" __global__ void
rsqrt_chain(const float* __restrict__ data, float* __restrict__ out, float scale, float offset, int n)
{
    constexpr int U = UNROLL;
    const int thread = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    const float* slice = data + static_cast<long long>(thread) * n;

    float sum = 0.0f;
#pragma unroll U
    for (int i = 0; i < n; ++i) {
        float y = rsqrtf(slice[i] + 1.0f);   // the first of the eight: no root of zero
#pragma unroll
        for (int step = 0; step < 6; ++step) {
            y = fmaf(y, scale, offset);
        }
        sum += y;                            // the eighth
    }
    out[thread] = sum;
}
