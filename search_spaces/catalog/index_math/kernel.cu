// index_math: a strided copy of a four-dimensional array, and what finding the index costs.
//
// 0: quotients and remainders by extents known at run time; 1: by extents known to the compiler, which multiplies
// instead; 2: by a multiplication with the host's reciprocal; 3: shifts and masks, since the extents are powers of two;
// 4: no division, as the grid has the outer dimensions.

constexpr int RUN_TIME = 0, COMPILE_TIME = 1, RECIPROCAL = 2, SHIFTS = 3;
constexpr int EXTENT = 64;

__device__ int divided(int index, int extent, unsigned reciprocal)
{
    if (METHOD == RUN_TIME) return index / extent;
    if (METHOD == COMPILE_TIME) return index / EXTENT;
    if (METHOD == RECIPROCAL) return __umulhi(index, reciprocal);
    return index >> 6;
}

extern "C" __global__ void index_math(const float* __restrict__ input, float* __restrict__ out, int extent,
                                      unsigned reciprocal, int stride_1, int stride_2, int stride_3)
{
    const int strides[4] = {1, stride_1, stride_2, stride_3};
#pragma unroll
    for (int item = 0; item < ITEMS; ++item) {
        const int index = (blockIdx.x * ITEMS + item) * BLOCK_SIZE + threadIdx.x;
        int rest = index, offset = 0;
        if (METHOD <= SHIFTS) {
#pragma unroll
            for (int d = 0; d < DIMENSIONS - 1; ++d) {
                const int quotient = divided(rest, extent, reciprocal);
                offset += (rest - quotient * extent) * strides[d];
                rest = quotient;
            }
            offset += rest * strides[DIMENSIONS - 1];
        } else {
            offset = index;
        }
        out[index] = input[offset];
    }
}
