// matmul_inner: C = A B as everybody writes it first: a thread for each number of C, its inner product in a loop.
//
// UNROLL products in a round of the loop, which go to ACCUMULATORS sums in turn.

extern "C" __global__ void
matmul_inner(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n, int k)
{
    const int column = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    const int row = blockIdx.y;
    a += row * k;
    b += column;

    float sums[ACCUMULATORS] = {};
#pragma unroll 1
    for (int first = 0; first < k; first += UNROLL) {
#pragma unroll
        for (int step = 0; step < UNROLL; ++step) {
            sums[step % ACCUMULATORS] += a[first + step] * b[(first + step) * n];
        }
    }
    float sum = sums[0];
#pragma unroll
    for (int each = 1; each < ACCUMULATORS; ++each) {
        sum += sums[each];
    }
    c[row * n + column] = sum;
}
