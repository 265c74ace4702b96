// When in a launch the lines are asked for that L2 has lost since the launch before: arrays of `mib` MiB are read, or
// copied half to half, 20 launches in a row, 16 bytes a thread, blocks of 256 threads or 264 blocks that take chunks in
// turn. Prints how many warps of the last launch waited 0 to 99, 100 to 199, ... 3,100 and more cycles for their load,
// for each 64th of the array:
//
//   nvcc -std=c++17 -arch=native -O3 lost_lines.cu -o lost_lines && ./lost_lines > lost_lines.<gpu>.csv
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int PARTS = 64, BINS = 32, BIN_CYCLES = 100, LAUNCHES = 20, RESIDENT = 264;

template <bool COPIES>
__global__ void stream(const float4* from, float4* to, unsigned short* waited, int chunks) {
    for (int chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        const size_t i = (size_t)chunk * blockDim.x + threadIdx.x;
        const unsigned asked = clock();
        const float4 v = __ldcg(from + i);
        const bool never = v.x + v.y + v.z + v.w == 12345.0f;
        const unsigned cycles = clock() - asked + (never ? 1 : 0);
        if (COPIES || never) to[i] = v;
        if (threadIdx.x % 32 == 0) waited[i / 32] = min(cycles, 65535u);
    }
}

int main() {
    char* data;
    unsigned short* waited;
    cudaMalloc(&data, 512ull << 20);
    cudaMalloc(&waited, 16 << 20);
    cudaMemset(data, 0, 512ull << 20);
    printf("mode,waves,mib,part");
    for (int bin = 0; bin < BINS; ++bin) printf(",from_%d", bin * BIN_CYCLES);
    printf("\n");
    for (bool copies : {false, true})
        for (bool many : {false, true})
            for (int mib : {16, 28, 32, 36, 40, 44, 48, 56, 80}) {
                const int threads = many ? 256 : 1024, read = copies ? mib / 2 : mib;
                const int chunks = read * ((1 << 20) / (threads * 16)), blocks = many ? chunks : RESIDENT;
                float4 *from = (float4*)data, *to = (float4*)(data + ((size_t)read << 20));
                for (int launch = 0; launch < LAUNCHES; ++launch)
                    copies ? stream<true><<<blocks, threads>>>(from, to, waited, chunks)
                           : stream<false><<<blocks, threads>>>(from, to, waited, chunks);
                std::vector<unsigned short> cycles(read * ((1 << 20) / 512));
                cudaMemcpy(cycles.data(), waited, cycles.size() * sizeof cycles[0], cudaMemcpyDeviceToHost);
                std::vector<int> counts(PARTS * BINS);
                for (size_t i = 0; i < cycles.size(); ++i)
                    ++counts[i * PARTS / cycles.size() * BINS + std::min(cycles[i] / BIN_CYCLES, BINS - 1)];
                for (int part = 0; part < PARTS; ++part) {
                    printf("%s,%s,%d,%d", copies ? "copy" : "read", many ? "many" : "one", mib, part);
                    for (int bin = 0; bin < BINS; ++bin) printf(",%d", counts[part * BINS + bin]);
                    printf("\n");
                }
            }
    return cudaGetLastError() != cudaSuccess;
}
