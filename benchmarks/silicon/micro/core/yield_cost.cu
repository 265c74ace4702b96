// What a YIELD costs: loops of compare-and-swaps that never succeed, in which the compiler puts one, of warps of one
// scheduler and of all four. Nothing diverges.
//
//   nvcc -std=c++17 -arch=native -O3 yield_cost.cu -o yield_cost && ./yield_cost > yield_cost.csv
//
// Columns: warps that loop; whether they are those of one scheduler; operations of arithmetic in the loop; cycles of an
// iteration of the first warp and of the last. The results of both GPUs are in tests/silicon/.
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

constexpr int SMS = 132, N = 2048, MOST = 32;

__device__ unsigned now() {
    unsigned cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
    return cycles;
}

template <int WORK> __global__ void yields(unsigned* took, int* out, int step, int warps) {
    __shared__ int table[32 * MOST];
    const int warp = threadIdx.x / 32;
    int* mine = table + threadIdx.x;
    *mine = threadIdx.x;
    __syncthreads();
    if (warp % step || warp / step >= warps) return;
    const unsigned began = now();
    int x = 1;
    for (int i = 0;; ++i) {
        const int old = atomicCAS(mine, -1, x);
        if (old == -1) x += 3;
        if (old == -1 || i == N) break;
#pragma unroll
        for (int k = 0; k < WORK; ++k) x = x * 5 + old;
    }
    const unsigned cycles = now() - began;
    if (threadIdx.x % 32 == 0) took[blockIdx.x * MOST + warp] = cycles;
    if (x == 12345) *out = x;
}

template <int WORK> void show(unsigned* took, int* out) {
    for (int step : {1, 4})
        for (int warps : {1, 2, 4, 8, 16, 32}) {
            if (warps * step > MOST) continue;
            for (int launch = 0; launch < 2; ++launch) yields<WORK><<<SMS, 32 * MOST>>>(took, out, step, warps);
            std::vector<unsigned> read(SMS * MOST);
            cudaMemcpy(read.data(), took, read.size() * sizeof read[0], cudaMemcpyDeviceToHost);
            const unsigned* block = read.data() + 5 * MOST;
            printf("%d,%d,%d,%.2f,%.2f\n", warps, step == 4, WORK, block[0] / double(N), block[(warps - 1) * step] / double(N));
        }
}

int main() {
    unsigned* took;
    int* out;
    cudaMalloc(&took, SMS * MOST * sizeof *took);
    cudaMalloc(&out, sizeof *out);
    printf("warps,one_scheduler,work,first,last\n");
    show<0>(took, out);
    show<8>(took, out);
    show<32>(took, out);
    return cudaGetLastError() != cudaSuccess;
}
