// y = x - log(sum(exp(x))) per row. Each thread keeps a running pair (maximum, sum); pairs are merged first in
// a warp, then across warps. Two passes over the row.
struct MaxSum { float m, s; };

__device__ __forceinline__ MaxSum merge(MaxSum a, MaxSum b)
{
    const bool a_bigger = a.m > b.m;
    const MaxSum big = a_bigger ? a : b, small = a_bigger ? b : a;
    MaxSum r;
    r.m = big.m;
    r.s = big.s + small.s * __expf(small.m - big.m);
    return r;
}

struct alignas(4 * ILP) Packed { float val[ILP]; };

extern "C" __global__ void log_softmax_ilp(const float* __restrict__ logits, float* __restrict__ output)
{
    __shared__ MaxSum partial[THREADS / 32];
    const Packed* in = reinterpret_cast<const Packed*>(logits + (size_t)blockIdx.x * DIM);
    Packed* out = reinterpret_cast<Packed*>(output + (size_t)blockIdx.x * DIM);

    MaxSum acc = {-3.0e38f, 0.0f};
    for (int i = threadIdx.x; i < DIM / ILP; i += THREADS) {
        const Packed p = in[i];
#pragma unroll
        for (int j = 0; j < ILP; ++j) {
            MaxSum one = {p.val[j], 1.0f};
            acc = merge(acc, one);
        }
    }
#pragma unroll
    for (int mask = 16; mask; mask >>= 1) {
        MaxSum other;
        other.m = __shfl_xor_sync(0xffffffffu, acc.m, mask);
        other.s = __shfl_xor_sync(0xffffffffu, acc.s, mask);
        acc = merge(acc, other);
    }
    if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = acc;
    __syncthreads();
    acc = partial[0];
    for (int w = 1; w < THREADS / 32; ++w) acc = merge(acc, partial[w]);
    const float shift = acc.m + logf(acc.s);

    for (int i = threadIdx.x; i < DIM / ILP; i += THREADS) {
        Packed p = in[i];
#pragma unroll
        for (int j = 0; j < ILP; ++j) p.val[j] -= shift;
        out[i] = p;
    }
}
