// Short causal convolution of state-space models: a block per channel and sequence goes through 4,096 steps of
// time in chunks. A thread holds ITEMS steps and takes the WIDTH - 1 before them from its neighbour's registers,
// through shared memory; the last thread's wait for the first of the next chunk.
#include <cuda_fp16.h>

struct alignas(2 * ITEMS) Steps { half v[ITEMS]; };

extern "C" __global__ void conv1d_causal(const Steps* __restrict__ x, const float* __restrict__ weight,
                                         const float* __restrict__ bias, Steps* __restrict__ out)
{
    constexpr int tail = WIDTH - 1, chunks = 4096 / (ITEMS * THREADS);
    __shared__ half edge[2][THREADS][tail], carry[3][tail];
    const int channel = blockIdx.x;
    const size_t base = ((size_t)blockIdx.y * 2048 + channel) * (4096 / ITEMS);
    float w[WIDTH];
    for (int i = 0; i < WIDTH; i++) w[i] = weight[channel * WIDTH + i];
    const float b = bias[channel];
    if (threadIdx.x < tail) carry[0][threadIdx.x] = __float2half(0.0f);

    for (int chunk = 0; chunk < chunks; chunk++) {
        const int now = chunk & 1;
        const Steps mine = x[base + chunk * THREADS + threadIdx.x];
#pragma unroll
        for (int i = 0; i < tail; i++) {
            const half h = mine.v[ITEMS - tail + i];
            if (threadIdx.x == THREADS - 1) carry[(chunk + 1) % 3][i] = h;
            else edge[now][threadIdx.x][i] = h;
        }
        __syncthreads();
        float window[ITEMS + tail];
#pragma unroll
        for (int i = 0; i < tail; i++)
            window[i] = __half2float(threadIdx.x == 0 ? carry[chunk % 3][i] : edge[now][threadIdx.x - 1][i]);
#pragma unroll
        for (int i = 0; i < ITEMS; i++) window[tail + i] = __half2float(mine.v[i]);
        Steps result;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            float s = b;
#pragma unroll
            for (int k = 0; k < WIDTH; k++) s += w[k] * window[i + k];
            result.v[i] = __float2half(s / (1.0f + __expf(-s)));
        }
        out[base + chunk * THREADS + threadIdx.x] = result;
    }
}
