// How many atomics an SM sends before it waits: when each of 512 reductions of each warp has been issued, while all SMs
// aim at one word or at one line, or at words of their own.
//
//   nvcc -std=c++17 -arch=native -O3 sent_atomics.cu -o sent_atomics && ./sent_atomics > sent_atomics.csv
//
// Columns: what the warps aim at: one word (one lane each), one line (32 lanes, a word each) or words of their own (one
// lane); warps of a block, one block an SM; the block; reductions of its first warp before; cycles since the first.
// As long as nothing waits, they are issued at the pace of the loop. The results of both GPUs are in tests/silicon/.
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

constexpr int SMS = 132, N = 512, MARKED = 8;
enum { WORD, LINE, OWN };

__device__ unsigned now() {
    unsigned cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
    return cycles;
}

template <int AT> __global__ void sent_atomics(unsigned* data, unsigned* when) {
    __shared__ unsigned marks[MARKED * N];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned* at = data + (AT == LINE ? lane : AT == OWN ? blockIdx.x * 4096 + warp * 1024 : 0);
    if (lane < (AT == LINE ? 32 : 1)) {
#pragma unroll 1
        for (int i = 0; i < N; ++i) {
            asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
            const unsigned cycles = now();
            if (lane == 0) marks[warp * N + i] = cycles;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x) when[blockIdx.x * N + i] = marks[i];
}

template <int AT> void show(const char* name, unsigned* data, unsigned* when, int warps) {
    for (int launch = 0; launch < 2; ++launch) sent_atomics<AT><<<SMS, 32 * warps>>>(data, when);
    std::vector<unsigned> read(SMS * N);
    cudaMemcpy(read.data(), when, read.size() * sizeof read[0], cudaMemcpyDeviceToHost);
    for (int block : {5, 77})
        for (int i = 1; i < N; i += i < 128 ? 1 : 16)
            printf("%s,%d,%d,%d,%u\n", name, warps, block, i, read[block * N + i] - read[block * N]);
}

int main() {
    unsigned *data, *when;
    cudaMalloc(&data, 64 << 20);
    cudaMemset(data, 0, 64 << 20);
    cudaMalloc(&when, SMS * N * sizeof *when);
    printf("at,warps,block,sent,cycles\n");
    for (int warps : {1, 4, 8}) {
        show<WORD>("word", data, when, warps);
        show<LINE>("line", data, when, warps);
        show<OWN>("own", data, when, warps);
    }
    return cudaGetLastError() != cudaSuccess;
}
