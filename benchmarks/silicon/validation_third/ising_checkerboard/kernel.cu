// Half a sweep of the Ising model by Metropolis: spins of one colour, packed by rows, from their four neighbours of the
// other colour and a random number each. The chances come from a table in shared memory or from exp.
extern "C" __global__ void ising_checkerboard(const signed char* __restrict__ spins, const signed char* __restrict__ other,
                                              const float* __restrict__ randoms, signed char* __restrict__ next,
                                              int rows, int columns, float beta)
{
#if TABLE
    __shared__ float chance[2][5];
    if (threadIdx.x < 10) chance[threadIdx.x / 5][threadIdx.x % 5] =
        expf(-2.0f * beta * (2 * (int)(threadIdx.x / 5) - 1) * (2 * (int)(threadIdx.x % 5) - 4));
    __syncthreads();
#endif
    const int at = (blockIdx.x * THREADS + threadIdx.x) * SPINS, row = at / columns, column = at % columns;
    const int up = (row > 0 ? row - 1 : rows - 1) * columns, down = (row < rows - 1 ? row + 1 : 0) * columns;
    const int here = row * columns;
#pragma unroll
    for (int i = 0; i < SPINS; ++i) {
        const int c = column + i;
        const int side = row & 1 ? (c + 1 < columns ? c + 1 : 0) : (c > 0 ? c - 1 : columns - 1);
        const int sum = (other[up + c] & 1) + (other[here + c] & 1) + (other[down + c] & 1) + (other[here + side] & 1);
        const int s = spins[at + i] & 1;
#if TABLE
        const float p = chance[s][sum];
#else
        const float p = __expf(-2.0f * beta * (2 * s - 1) * (2 * sum - 4));
#endif
        next[at + i] = (signed char)(randoms[at + i] < p ? s ^ 1 : s);
    }
}
