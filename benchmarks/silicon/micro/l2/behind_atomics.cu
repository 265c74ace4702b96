// What waits behind atomics: all SMs add to one word, each so many times, and then read something else.
//
//   nvcc -std=c++17 -arch=native -O3 behind_atomics.cu -o behind_atomics && ./behind_atomics > behind_atomics.csv
//
// Columns: what is read (shared memory, a line that L1 has, a line that L2 has, shuffled between lanes); additions of the
// SM's warp before, one lane each; cycles from there until it was there, of 132 SMs and 20 launches: the 10th, 50th and
// 90th percentile. The results of both GPUs are in tests/silicon/.
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

constexpr int SMS = 132, LAUNCHES = 20, LINE = 32;
enum { SHARED, L1, L2, SHUFFLE };

__device__ unsigned now() {
    unsigned cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
    return cycles;
}

// All SMs begin together: `arrived` counts their blocks.
__device__ void meet(unsigned* arrived) {
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned*)arrived < SMS) {}
    }
    __syncwarp();
}

template <int WHAT>
__global__ void behind(unsigned* word, unsigned* arrived, const unsigned* lines, int additions, unsigned* took) {
    __shared__ unsigned shared[32];
    shared[threadIdx.x] = threadIdx.x;
    const unsigned* line = lines + blockIdx.x * LINE;
    unsigned x = 0;
    if (WHAT == L1) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(line) : "memory");
    if (WHAT == SHUFFLE) x = __shfl_sync(~0u, threadIdx.x, 0);
    meet(arrived);
    if (x == 12345) took[0] = 1;
    __syncwarp();
    if (threadIdx.x == 0)
#pragma unroll 1
        for (int i = 0; i < additions; ++i) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(word) : "memory");
    __syncwarp();
    const unsigned began = now();
    if (WHAT == SHARED) x = *(volatile unsigned*)(shared + 5);
    if (WHAT == L1) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(line) : "memory");
    if (WHAT == L2) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(line) : "memory");
    if (WHAT == SHUFFLE) x = __shfl_sync(~0u, threadIdx.x, 3);
    if (x == 12345) took[0] = 1;
    const unsigned cycles = now() - began;
    if (threadIdx.x == 0) took[blockIdx.x] = cycles;
}

__global__ void touch(const unsigned* lines, unsigned* out) {
    if (__ldcg(lines + blockIdx.x * LINE) == 12345) *out = 1;
}

template <int WHAT> void show(const char* name, unsigned* data, unsigned* took) {
    for (int additions : {0, 1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 160, 192, 224, 256, 288, 320, 384, 448}) {
        std::vector<unsigned> all;
        for (int launch = 0; launch < LAUNCHES; ++launch) {
            const unsigned* lines = data + (1 << 20) + launch * SMS * LINE;
            cudaMemset(data + (1 << 19), 0, 4);
            touch<<<SMS, 1>>>(lines, took);
            behind<WHAT><<<SMS, 32>>>(data, data + (1 << 19), lines, additions, took);
            std::vector<unsigned> read(SMS);
            cudaMemcpy(read.data(), took, SMS * sizeof read[0], cudaMemcpyDeviceToHost);
            all.insert(all.end(), read.begin(), read.end());
        }
        std::sort(all.begin(), all.end());
        printf("%s,%d,%u,%u,%u\n", name, additions, all[all.size() / 10], all[all.size() / 2], all[all.size() * 9 / 10]);
    }
}

int main() {
    unsigned *data, *took;
    cudaMalloc(&data, 64 << 20);
    cudaMemset(data, 0, 64 << 20);
    cudaMalloc(&took, SMS * sizeof *took);
    printf("read,additions,tenth,median,ninetieth\n");
    show<SHARED>("shared", data, took);
    show<SHUFFLE>("shuffle", data, took);
    show<L1>("l1", data, took);
    show<L2>("l2", data, took);
    return cudaGetLastError() != cudaSuccess;
}
