// Sparse matrix with long rows by a vector in CSR, a block a row, ILP entries in flight a thread.
constexpr int WARPS = THREADS / 32;

__device__ __forceinline__ int start_of(int row)
{
    unsigned h = row * 2654435761u;
    h ^= h >> 15;
    return row * MEAN + (int)(h % MEAN);
}

extern "C" __global__ void __launch_bounds__(THREADS)
csr_block_row(const int* __restrict__ columns, const float* __restrict__ values, const float* __restrict__ x,
              float* __restrict__ y)
{
    __shared__ float part[WARPS];
    const int row = blockIdx.x, end = start_of(row + 1);
    int k = start_of(row) + threadIdx.x;
    float sum[ILP] = {};
    for (; k + (ILP - 1) * THREADS < end; k += ILP * THREADS) {
#pragma unroll
        for (int i = 0; i < ILP; ++i) sum[i] += values[k + i * THREADS] * x[columns[k + i * THREADS]];
    }
    for (; k < end; k += THREADS) sum[0] += values[k] * x[columns[k]];
    float total = sum[0];
#pragma unroll
    for (int i = 1; i < ILP; ++i) total += sum[i];
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) total += __shfl_down_sync(0xffffffff, total, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = total;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < WARPS; ++w) total += part[w];
        y[row] = total;
    }
}
