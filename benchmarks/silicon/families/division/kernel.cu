// Exact division and remainder of floats and doubles: subroutine calls (CALL.REL) for the slow paths.
#if KIND == 0
typedef float Number;
#define APPLY(x, y) ((x) / (y))
#elif KIND == 1
typedef float Number;
#define APPLY(x, y) fmodf((x), (y))
#elif KIND == 2
typedef double Number;
#define APPLY(x, y) ((x) / (y))
#else
typedef double Number;
#define APPLY(x, y) sqrt((x) + (y))
#endif

extern "C" __global__ void division(const float* __restrict__ input, float* __restrict__ out, float divisor, int steps) {
    constexpr int unroll = UNROLL;
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    Number x = input[i] + 1.0f;
    Number y = divisor;
#pragma unroll unroll
    for (int s = 0; s < steps; ++s) x = APPLY(x + (Number)100.0, y + x);
    out[i] = (float)x;
}
