// How many atomics an SM sends before it waits: when each of 512 reductions of each warp has been issued, while all SMs
// aim at one line, or at lines of their own.
//
//   nvcc -std=c++17 -arch=native -O3 sent_atomics.cu -o sent_atomics && ./sent_atomics > sent_atomics.csv
//
// Columns: type; whether each warp has a line of its own, or all SMs the same; lanes of a warp that take part; words of
// the line that they aim at, in turn, and words from one to the next; warps of a block, one block an SM; reductions of
// the first warp of one block before; cycles since the first. As long as nothing waits, they are issued at the pace of
// the loop. The results of both GPUs are in tests/silicon/.
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

constexpr int SMS = 132, N = 512, MARKED = 8, SHOWN = 5;

struct Aim {
    int own, lanes, words, apart;
};

__device__ unsigned now() {
    unsigned cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
    return cycles;
}

__device__ void add(unsigned* at) { asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at) : "memory"); }
__device__ void add(float* at) { asm volatile("red.global.add.f32 [%0], 0f3F800000;" ::"l"(at) : "memory"); }

template <class Type> __global__ void sent_atomics(Type* data, unsigned* when, Aim aim) {
    __shared__ unsigned marks[MARKED * N];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    Type* at = data + lane % aim.words * aim.apart + (aim.own ? blockIdx.x * 4096 + warp * 1024 : 0);
    if (lane < aim.lanes) {
#pragma unroll 1
        for (int i = 0; i < N; ++i) {
            add(at);
            const unsigned cycles = now();
            if (lane == 0) marks[warp * N + i] = cycles;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x) when[blockIdx.x * N + i] = marks[i];
}

template <class Type> void show(const char* type, void* data, unsigned* when, int warps, Aim aim) {
    for (int launch = 0; launch < 2; ++launch) sent_atomics<<<SMS, 32 * warps>>>((Type*)data, when, aim);
    std::vector<unsigned> read(SMS * N);
    cudaMemcpy(read.data(), when, read.size() * sizeof read[0], cudaMemcpyDeviceToHost);
    const unsigned* marks = read.data() + SHOWN * N;
    for (int i = 1; i < N; i += i < 32 ? 1 : i < 128 ? 4 : 16)
        printf("%s,%d,%d,%d,%d,%d,%d,%u\n", type, aim.own, aim.lanes, aim.words, aim.apart, warps, i, marks[i] - marks[0]);
}

int main() {
    unsigned *data, *when;
    cudaMalloc(&data, 64 << 20);
    cudaMemset(data, 0, 64 << 20);
    cudaMalloc(&when, SMS * N * sizeof *when);
    printf("type,own,lanes,words,apart,warps,sent,cycles\n");
    for (int warps : {1, 4, 8}) {
        for (int lanes : {1, 2, 4, 8, 16, 32}) show<unsigned>("u32", data, when, warps, {0, lanes, 1, 1});
        for (int words : {2, 8, 16, 32}) show<unsigned>("u32", data, when, warps, {0, 32, words, 1});
        for (int words : {2, 4}) show<unsigned>("u32", data, when, warps, {0, 32, words, 8});
        for (int words : {2, 4}) show<unsigned>("u32", data, when, warps, {0, words, words, 8});
        for (int words : {2, 4, 8, 16}) show<unsigned>("u32", data, when, warps, {0, words, words, 1});
        for (int lanes : {1, 4, 32}) show<float>("f32", data, when, warps, {0, lanes, 1, 1});
        show<float>("f32", data, when, warps, {0, 32, 32, 1});
        show<unsigned>("u32", data, when, warps, {1, 1, 1, 1});
        show<unsigned>("u32", data, when, warps, {1, 32, 1, 1});
    }
    return cudaGetLastError() != cudaSuccess;
}
