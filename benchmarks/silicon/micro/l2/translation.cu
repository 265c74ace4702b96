// What address translation costs, by the pages of 2 MiB in use. All lines that are read fit in L2, so only the
// translations differ.
//
// chase: one thread an SM follows a chain through one line of each page, in random order; cycles a load.
// rate: full SMs read lone words of 131,072 lines, spread evenly over the pages; thousand million loads a second. Each
// lane takes a random line of all; or a warp's lanes take lines of one page, a random one each time; or a block does so.
//
//   nvcc -std=c++17 -arch=native -O3 translation.cu -o translation && ./translation > translation.<gpu>.csv
#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>
#include <cuda_runtime.h>

constexpr size_t PAGE = 2 << 20;
constexpr int MOST_PAGES = 8192, LINES = 131072, STEPS = 512;

__global__ void chase(const char* data, long long* cycles, int pages, int hops) {
    unsigned at = (blockIdx.x * 977u) % pages;
    for (int i = 0; i < pages; ++i) at = __ldcg((const unsigned*)(data + at * PAGE + at % 4096 * 128));
    const long long begin = clock64();
    for (int i = 0; i < hops; ++i) at = __ldcg((const unsigned*)(data + at * PAGE + at % 4096 * 128));
    cycles[blockIdx.x] = (clock64() - begin) / hops + (at == ~0u);
}

__global__ void link(char* data, const unsigned* next, int pages) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < pages) *(unsigned*)(data + p * PAGE + p % 4096 * 128) = next[p];
}

enum Pattern { LANES, WARPS, BLOCKS };

template <int PATTERN>
__global__ void rate(const char* data, float* out, int pages) {
    const int per_page = LINES / pages;
    const unsigned who = PATTERN == LANES    ? blockIdx.x * blockDim.x + threadIdx.x
                         : PATTERN == WARPS ? (blockIdx.x * blockDim.x + threadIdx.x) / 32
                                            : blockIdx.x;
    unsigned page_seed = who * 2654435761u + 12345u, line_seed = (blockIdx.x * blockDim.x + threadIdx.x) * 2246822519u + 1u;
    float sum = 0;
#pragma unroll 4
    for (int i = 0; i < STEPS; ++i) {
        page_seed = page_seed * 1664525u + 1013904223u;
        line_seed = line_seed * 22695477u + 1u;
        const size_t page = (page_seed >> 8) % pages, line = (line_seed >> 8) % per_page;
        // pages do not begin with the same sets: line k of a page lies at k + 37 * page, modulo the page
        sum += __ldcg((const float*)(data + page * PAGE + (line + page * 37) % (PAGE / 128) * 128));
    }
    if (sum == 12345.0f) out[0] = sum;
}

template <int PATTERN>
double gigaloads(const char* data, float* out, int pages) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    float best = 1e9;
    for (int r = 0; r < 3; ++r) {
        cudaEventRecord(begin);
        rate<PATTERN><<<264, 1024>>>(data, out, pages);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float ms;
        cudaEventElapsedTime(&ms, begin, end);
        best = std::min(best, ms);
    }
    return 264.0 * 1024 * STEPS / best / 1e6;
}

int main() {
    char* data;
    float* out;
    unsigned* next;
    long long* cycles;
    if (cudaMalloc(&data, MOST_PAGES * PAGE) != cudaSuccess) return 1;
    cudaMemset(data, 0, MOST_PAGES * PAGE);
    cudaMalloc(&out, 4);
    cudaMallocManaged(&next, MOST_PAGES * 4);
    cudaMallocManaged(&cycles, 132 * 8);
    std::mt19937 random(1);
    printf("what,pages,one_sm,all_sms\n");
    for (int pages : {1, 2, 4, 8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192}) {
        std::vector<unsigned> order(pages);
        for (int i = 0; i < pages; ++i) order[i] = i;
        std::shuffle(order.begin(), order.end(), random);
        for (int i = 0; i < pages; ++i) next[order[i]] = order[(i + 1) % pages];
        link<<<(pages + 255) / 256, 256>>>(data, next, pages);
        chase<<<1, 1>>>(data, cycles, pages, std::max(2 * pages, 256));
        cudaDeviceSynchronize();
        const long long one = cycles[0];
        chase<<<132, 1>>>(data, cycles, pages, std::max(2 * pages, 256));
        cudaDeviceSynchronize();
        std::vector<long long> all(cycles, cycles + 132);
        std::sort(all.begin(), all.end());
        printf("chase,%d,%lld,%lld\n", pages, one, all[66]);
    }
    printf("what,pages,lanes,warps,blocks\n");
    for (int pages : {1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 4096, 8192})
        printf("rate,%d,%.2f,%.2f,%.2f\n", pages, gigaloads<LANES>(data, out, pages), gigaloads<WARPS>(data, out, pages),
               gigaloads<BLOCKS>(data, out, pages));
    return cudaGetLastError() != cudaSuccess;
}
