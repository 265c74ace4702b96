// With JOINED the coefficient is added to the product of 128 bits before it is reduced.
typedef unsigned long long Word;

__device__ __forceinline__ Word reduced(Word low, Word high)
{
    const Word top = high >> 32, rest = high & 0xffffffffu;
    Word r = low - top;
    if (low < top) r -= 0xffffffffu;
    const Word t = (rest << 32) - rest, s = r + t;
    return s < t ? s + 0xffffffffu : s;
}

extern "C" __global__ void __launch_bounds__(128)
goldilocks_horner_points(const Word* __restrict__ coefficient, const Word* __restrict__ point, Word* __restrict__ value)
{
    __shared__ Word held[STAGED ? 128 : 1];
    if (STAGED) {
        for (int i = threadIdx.x; i < 128; i += 128) held[STAGED ? i : 0] = coefficient[i];
        __syncthreads();
    }
    const int first = blockIdx.x * EACH * 128 + threadIdx.x;
    Word x[EACH], y[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        x[e] = point[first + e * 128] * 0x9e3779b97f4a7c15ull;
        y[e] = 0;
    }
#pragma unroll 2
    for (int i = 127; i >= 0; --i) {
        const Word c = STAGED ? held[STAGED ? i : 0] : coefficient[i];
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            Word low = y[e] * x[e], high = __umul64hi(y[e], x[e]);
            if (JOINED) {
                low += c;
                high += low < c;
                y[e] = reduced(low, high);
            } else {
                const Word p = reduced(low, high), s = p + c;
                y[e] = s < c ? s + 0xffffffffu : s;
            }
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) value[first + e * 128] = y[e];
}
