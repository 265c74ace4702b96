// How many blocks are on an SM at a time if most warps of each end early: `late` warps, from `first` on, stay for 20,000 cycles, or
// (`apart` 1) for 10,000 to 30,000 by a hash of the block, the others for `soon`. A block holds `shared` bytes of shared memory, a
// thread few registers or (`registers` 1) some 64.
//
//   nvcc -std=c++17 -arch=native -O3 early_ends.cu -o early_ends && ./early_ends > early_ends.<gpu>.csv
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

constexpr int SMS = 132, WAVES = 6;

struct Stay { long begin, end; int sm; };

template <int REGISTERS>
__global__ void stay(Stay* stays, long soon, int first, int late, int apart) {
    const int warp = threadIdx.x / 32;
    const long until_late = apart ? 10000 + (blockIdx.x * 2654435761u >> 8) % 20000 : 20000;
    const long begin = clock64(), cycles = warp >= first && warp < first + late ? until_late : soon;
    float r[REGISTERS];
#pragma unroll
    for (int i = 0; i < REGISTERS; ++i) r[i] = i * threadIdx.x;
    while (clock64() - begin < cycles) {
#pragma unroll
        for (int i = 0; i < REGISTERS; ++i) r[i] = r[i] * r[(i + 1) % REGISTERS];
        __nanosleep(100);
    }
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < REGISTERS; ++i) sum += r[i];
    if (threadIdx.x % 32 == 0) {
        int sm;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        stays[blockIdx.x * (blockDim.x / 32) + warp] = {begin, clock64() + (sum == 1.5f), sm};
    }
}

// The mean, between the first and the last quarter, and the most at a time.
std::pair<double, int> at_a_time(std::vector<std::pair<long, int>>& steps) {
    std::sort(steps.begin(), steps.end());
    const long span = steps.back().first - steps.front().first, from = steps.front().first + span / 4, to = from + span / 2;
    int now = 0, most = 0;
    double sum = 0;
    for (size_t i = 0; i + 1 < steps.size(); ++i) {
        now += steps[i].second;
        most = std::max(most, now);
        sum += now * (double)std::max(0l, std::min(steps[i + 1].first, to) - std::max(steps[i].first, from));
    }
    return {sum / (to - from), most};
}

int main() {
    Stay* stays;
    cudaMalloc(&stays, sizeof(Stay) * SMS * 64 * WAVES);
    printf("registers,threads,soon,first,late,apart,shared,fit,blocks,most_blocks,warps,most_warps\n");
    for (int registers : {0, 1})
        for (int threads : {64, 128, 192, 256, 512, 1024})
            for (long soon : {0, 300, 2000, 8000})
                for (int late : {1, 2, 4, 8})
                    for (int apart : {0, 1})
                        for (bool at_end : {false, true})
                            for (int shared : {0, 10000, 40000}) {
                                const int warps = threads / 32, first = at_end ? warps - late : 0;
                                if (late >= warps || (registers && soon != 2000)) continue;
                                auto kernel = registers ? stay<40> : stay<1>;
                                cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
                                int fit;
                                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads, shared);
                                const int blocks = SMS * fit * WAVES;
                                kernel<<<blocks, threads, shared>>>(stays, soon, first, late, apart);
                                std::vector<Stay> found(blocks * warps);
                                cudaMemcpy(found.data(), stays, found.size() * sizeof(Stay), cudaMemcpyDeviceToHost);
                                std::vector<std::pair<long, int>> of_warps, of_blocks;
                                for (int b = 0; b < blocks; ++b) {
                                    const Stay* s = &found[b * warps];
                                    if (s->sm != 7) continue;
                                    long begin = s->begin, end = s->end;
                                    for (int w = 0; w < warps; ++w) {
                                        begin = std::min(begin, s[w].begin), end = std::max(end, s[w].end);
                                        of_warps.push_back({s[w].begin, 1}), of_warps.push_back({s[w].end, -1});
                                    }
                                    of_blocks.push_back({begin, 1}), of_blocks.push_back({end, -1});
                                }
                                const auto b = at_a_time(of_blocks), w = at_a_time(of_warps);
                                printf("%d,%d,%ld,%d,%d,%d,%d,%d,%.2f,%d,%.2f,%d\n", registers, threads, soon, first, late, apart, shared, fit, b.first,
                                       b.second, w.first, w.second);
                            }
    fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));
}
