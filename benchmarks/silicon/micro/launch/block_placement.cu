// Which SM each block goes to if all are resident: each waits until the last one has begun.
//
//   nvcc -std=c++17 -arch=native -O3 block_placement.cu -o block_placement && ./block_placement > block_placement.csv
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int SMS = 132;

__global__ void placement(unsigned* sm, unsigned* begun) {
    if (threadIdx.x) return;
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    sm[blockIdx.x] = id;
    atomicAdd(begun, 1);
    while (*(volatile unsigned*)begun < gridDim.x) {}
}

int main() {
    unsigned *sm, *begun;
    cudaMalloc(&sm, 4 * 32 * SMS);
    cudaMalloc(&begun, 4);
    printf("threads,blocks,launch,block,sm\n");
    for (int threads : {64, 128, 256, 512, 1024}) {
        const int most = SMS * std::min(2048 / threads, 32);
        for (int blocks : {64, 100, 128, 132, 200, 264, 396, 528, 792, 1056, 2112, 4224})
            for (int launch = 0; launch < 2 && blocks <= most; ++launch) {
                std::vector<unsigned> found(blocks);
                cudaMemset(begun, 0, 4);
                placement<<<blocks, threads>>>(sm, begun);
                cudaMemcpy(found.data(), sm, 4 * blocks, cudaMemcpyDeviceToHost);
                for (int block = 0; block < blocks; ++block)
                    printf("%d,%d,%d,%d,%u\n", threads, blocks, launch, block, found[block]);
            }
    }
    fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));
}
