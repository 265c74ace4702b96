// Reductions of all SMs on one word of each of one, two or four buffers, by turns: whether the slices of different
// buffers serve them at the same time.
//
//   nvcc -std=c++17 -arch=native -O3 hot_buffers.cu -o hot_buffers && ./hot_buffers > hot_buffers.csv
//
// Columns: buffers; warps of a block, one block an SM; reductions of a warp on each buffer; microseconds, the least of
// ten launches. The results of both GPUs are in tests/silicon/, hot_buffers.csv.
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>

constexpr int SMS = 132, MOST = 4;

template <int BUFFERS> __global__ void hot_buffers(unsigned* a, unsigned* b, unsigned* c, unsigned* d, int each) {
    unsigned* const at[MOST] = {a, b, c, d};
    if (threadIdx.x % 32) return;
#pragma unroll 1
    for (int i = 0; i < each; ++i)
#pragma unroll
        for (int k = 0; k < BUFFERS; ++k) atomicAdd(at[k], 1u);
}

template <int BUFFERS> float least(unsigned* const* at, int warps, int each) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    float least = 1e9f;
    for (int launch = 0; launch < 10; ++launch) {
        float ms;
        cudaEventRecord(begin);
        hot_buffers<BUFFERS><<<SMS, 32 * warps>>>(at[0], at[1], at[2], at[3], each);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        least = std::min(least, ms);
    }
    return least * 1000;
}

int main() {
    unsigned* at[MOST];
    for (auto& each : at) {
        cudaMalloc(&each, 4 << 20);
        cudaMemset(each, 0, 4 << 20);
    }
    printf("buffers,warps,each,us\n");
    for (int warps : {1, 4, 16})
        for (int each : {64, 256}) {
            printf("1,%d,%d,%.1f\n", warps, each, least<1>(at, warps, each));
            printf("2,%d,%d,%.1f\n", warps, each, least<2>(at, warps, each));
            printf("4,%d,%d,%.1f\n", warps, each, least<4>(at, warps, each));
        }
    return cudaGetLastError() != cudaSuccess;
}
