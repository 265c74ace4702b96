// fma_chain: independent chains of dependent fused multiply-adds, held in registers.
//
// What it shows: instruction-level parallelism does the work of occupancy (after V. Volkov, "Better
// Performance at Lower Occupancy", GTC 2010). The number of chains in the whole grid is fixed; a thread
// that carries more of them leaves fewer warps to hide the FMA latency, but needs fewer. Too few warps leave
// whole SMs or schedulers idle; one chain a thread pays the most loop overhead. The multiplier and
// the addend are arguments, so that the compiler cannot fold the chains.
//
// There is no __launch_bounds__: it would make the compiler ignore the register cap.

extern "C" __global__ void
fma_chain(float* __restrict__ out, float scale, float offset, int steps)
{
    constexpr int C = CHAINS;
    constexpr int U = UNROLL;
    const int thread = blockIdx.x * BLOCK_SIZE + threadIdx.x;

    float chain[C];
#pragma unroll
    for (int c = 0; c < C; ++c) {
        chain[c] = static_cast<float>(c);
    }
#pragma unroll U
    for (int step = 0; step < steps; ++step) {
#pragma unroll
        for (int c = 0; c < C; ++c) {
            chain[c] = fmaf(chain[c], scale, offset);
        }
    }
    float sum = 0.0f;
#pragma unroll
    for (int c = 0; c < C; ++c) {
        sum += chain[c];
    }
    out[thread] = sum;
}
