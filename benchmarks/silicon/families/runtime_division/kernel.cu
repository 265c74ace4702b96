// Quotient and remainder by run-time values: index arithmetic of a tensor permutation.
#if WIDE
typedef long long Index;
#else
typedef int Index;
#endif

extern "C" __global__ void runtime_division(const float* __restrict__ input, float* __restrict__ out, int d0, int d1,
                                            int d2) {
    Index i = (Index)blockIdx.x * BLOCK_SIZE + threadIdx.x;
    Index a = i / ((Index)d1 * d2);
    Index rest = i % ((Index)d1 * d2);
    Index b = rest / d2;
    Index c = rest % d2;
    out[(c * d1 + b) * d0 + a] = input[i];
}
