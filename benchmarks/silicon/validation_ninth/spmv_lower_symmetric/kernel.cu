// y += (L + transposed L) x for 65,536 rows of WIDTH entries.
extern "C" __global__ void __launch_bounds__(256)
spmv_lower_symmetric(const int* __restrict__ index, const float* __restrict__ value, const float* __restrict__ x,
                     float* __restrict__ y)
{
    const int id = blockIdx.x * 256 + threadIdx.x, row = id / LANES, lane = id % LANES;
    const float own = x[row];
    float sum = 0.0f;
#pragma unroll 4
    for (int i = lane; i < WIDTH; i += LANES) {
        const int at = BY_ROWS ? row * WIDTH + i : i * 65536 + row;
        const int c = index[at];
        const float v = value[at];
        sum += v * x[c];
        atomicAdd(y + c, v * own);
    }
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) atomicAdd(y + row, sum);
}
