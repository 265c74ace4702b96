// Rows of 4,096 records sorted by the low byte of their keys, a block a row: counts and scatter in shared memory.
constexpr int N = 4096, V = N / THREADS;

extern "C" __global__ void __launch_bounds__(THREADS)
counting_sort_rows_u16(const unsigned short* __restrict__ key, unsigned short* __restrict__ out)
{
    __shared__ int counts[COPIES][256], starts[256];
    __shared__ unsigned short sorted[STAGED ? N : 1];
    const size_t base = (size_t)blockIdx.x * N;
    const int copy = threadIdx.x / 32 % COPIES;
    for (int i = threadIdx.x; i < COPIES * 256; i += THREADS) counts[i / 256][i % 256] = 0;
    unsigned short k[V];
    int rank[V];
#pragma unroll
    for (int i = 0; i < V; ++i) k[i] = key[base + i * THREADS + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < V; ++i) rank[i] = atomicAdd(&counts[copy][k[i] & 255], 1);
    __syncthreads();
    if (threadIdx.x < 32) {
        int own[8], sum = 0;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            own[i] = sum;
            for (int c = 0; c < COPIES; ++c) {
                const int bin = threadIdx.x * 8 + i, n = counts[c][bin];
                counts[c][bin] = sum - own[i];
                sum += n;
            }
        }
        int before = sum;
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            const int other = __shfl_up_sync(~0u, before, d);
            if (threadIdx.x >= d) before += other;
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) starts[threadIdx.x * 8 + i] = before - sum + own[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < V; ++i) {
        const int bin = k[i] & 255, at = starts[bin] + counts[copy][bin] + rank[i];
        if (STAGED) sorted[STAGED ? at : 0] = k[i];
        else out[base + at] = k[i];
    }
    if (STAGED) {
        __syncthreads();
#pragma unroll
        for (int i = threadIdx.x; i < N / 2; i += THREADS)
            reinterpret_cast<unsigned*>(out + base)[i] = sorted[STAGED ? 2 * i : 0] | (unsigned)sorted[STAGED ? 2 * i + 1 : 0] << 16;
    }
}
