// Which slice of L2 each 256 bytes of some 2 MiB pages lie in, and how far that is from each SM.
//
//   nvcc -std=c++17 -arch=native -O3 slice_map.cu -o slice_map && ./slice_map PAGES slices.u8 latencies.u16
//
// Two stretches of 256 bytes lie in one slice if reductions of all SMs, half of them on each, take as long as on one.
// slices.u8: the number of each stretch's slice [PAGES][8192], in the order in which they were found.
// latencies.u16: cycles of a load past L1, the least of `REPEATS` [PAGES][132 SMs][8192], in the order of %smid.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int SMS = 132, STRETCHES = (2 << 20) / 256, REPEATS = 8, WARPS = 8, ROUNDS = 4;

__device__ unsigned now() {
    unsigned cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
    return cycles;
}

// The page holds ones. `nothing` is 0: it makes the load wait for the first reading, as the second waits for the load.
__global__ void latencies(const char* page, uint16_t* cycles, unsigned nothing) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    for (int i = 0; i < STRETCHES; ++i) {
        const int stretch = (i + sm * 62) % STRETCHES;
        const char* at = page + stretch * 256;
        unsigned least = 65535;
#pragma unroll 1
        for (int repeat = 0; repeat <= REPEATS; ++repeat) {
            const unsigned begin = now();
            unsigned loaded;
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(loaded) : "l"(at + (begin & nothing)) : "memory");
            unsigned end = begin;
#pragma unroll 1
            for (unsigned k = 0; k < loaded; ++k) end = now();
            if (repeat) least = min(least, end - begin);
        }
        cycles[(size_t)sm * STRETCHES + stretch] = least;
    }
}

__device__ void wait_for_all(unsigned* arrived, unsigned& target) {
    __syncthreads();
    target += gridDim.x;
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (*(volatile unsigned*)arrived < target) {}
    }
    __syncthreads();
}

// The clock of block 0 for each candidate, against the reference.
__global__ void meetings(unsigned* reference, char* const* candidates, int count, unsigned* cycles, unsigned* arrived) {
    unsigned target = 0;
    for (int i = 0; i < count; ++i) {
        unsigned* line = (blockIdx.x & 1 ? (unsigned*)candidates[i] : reference) + threadIdx.x % 32;
        wait_for_all(arrived, target);
        const unsigned begin = now();
        unsigned sum = 0;
        for (int round = 0; round < ROUNDS; ++round) sum |= atomicAdd(line + (sum & 0x80000000), 1);
        __syncthreads();
        if (blockIdx.x < 2 && threadIdx.x == 0) cycles[2 * i + blockIdx.x] = now() - begin + (sum & 0x80000000);
    }
}

int main(int argc, char** argv) {
    const int pages = atoi(argv[1]);
    char *data, **candidates;
    uint16_t* near;
    unsigned *cycles, *arrived;
    cudaMalloc(&data, (size_t)(pages + 1) << 21);
    data = (char*)(((uintptr_t)data + (1 << 21) - 1) >> 21 << 21);
    std::vector<unsigned> ones((size_t)pages << 19, 1);
    cudaMemcpy(data, ones.data(), (size_t)pages << 21, cudaMemcpyHostToDevice);
    const int all = pages * STRETCHES;
    cudaMalloc(&candidates, all * sizeof(char*));
    cudaMalloc(&cycles, all * 8);
    cudaMalloc(&arrived, 4);
    cudaMalloc(&near, SMS * STRETCHES * 2);

    std::vector<uint16_t> host(SMS * STRETCHES);
    FILE* file = fopen(argv[3], "wb");
    for (int page = 0; page < pages; ++page) {
        latencies<<<SMS, 1>>>(data + ((size_t)page << 21), near, 0);
        cudaMemcpy(host.data(), near, SMS * STRETCHES * 2, cudaMemcpyDeviceToHost);
        fwrite(host.data(), 2, host.size(), file);
    }
    fclose(file);

    std::vector<uint8_t> slice(all, 255);
    std::vector<unsigned> took(2 * all);
    for (int found = 0; found < 200; ++found) {
        std::vector<int> left;
        for (int i = 0; i < all; ++i)
            if (slice[i] == 255) left.push_back(i);
        if (left.empty()) break;
        std::vector<char*> addresses;
        for (int i : left) addresses.push_back(data + (size_t)i * 256 + 128);
        cudaMemcpy(candidates, addresses.data(), addresses.size() * sizeof(char*), cudaMemcpyHostToDevice);
        cudaMemset(arrived, 0, 4);
        meetings<<<SMS, 32 * WARPS>>>((unsigned*)(data + (size_t)left[0] * 256), candidates, (int)left.size(), cycles, arrived);
        cudaMemcpy(took.data(), cycles, left.size() * 8, cudaMemcpyDeviceToHost);
        std::vector<unsigned> time;
        for (size_t k = 0; k < left.size(); ++k) time.push_back(std::max(took[2 * k], took[2 * k + 1]));
        std::vector<unsigned> sorted(time);
        std::sort(sorted.begin(), sorted.end());
        const unsigned apart = sorted[sorted.size() / 2], together = time[0];  // most lie elsewhere; the first is itself
        int count = 0;
        for (size_t k = 0; k < left.size(); ++k)
            if (time[k] > (apart + together) / 2 || left.size() < 2 * STRETCHES / 96) slice[left[k]] = found, ++count;
        if (found % 8 == 0 || left.size() < 600)
            printf("slice %d: %d of %zu, %u cycles apart, %u together, quantiles %u %u %u\n", found, count, left.size(), apart, together,
                   sorted[sorted.size() / 20], sorted[sorted.size() * 19 / 20], sorted.back());
    }
    file = fopen(argv[2], "wb");
    fwrite(slice.data(), 1, slice.size(), file);
    fclose(file);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
