// How many lines a second L2 serves, by the words that are wanted of each: each warp reads `words` consecutive floats of
// 32 / words lines, past L1, its block's lines again and again. With one load in flight a thread and with four.
//
//   nvcc -std=c++17 -arch=native -O3 request_rate.cu -o request_rate && ./request_rate > request_rate.<gpu>.csv
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>

constexpr int SMS = 132, THREADS = 1024, ROUNDS = 60;

template <int LOADS>
__global__ void requests(const char* data, float* out, int lines, int words) {
    float sum = 0;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, groups = 32 / words, warps = blockDim.x >> 5;
    const int per = lines / gridDim.x, first = blockIdx.x * per, word = lane % words, group = lane / words;
    for (int r = 0; r < ROUNDS; ++r)
        for (int i = warp * groups * LOADS; i + groups * LOADS <= per; i += warps * groups * LOADS) {
            float v[LOADS];
#pragma unroll
            for (int u = 0; u < LOADS; ++u)
                v[u] = __ldcg((const float*)(data + (size_t)(first + i + u * groups + group) * 128) + word);
#pragma unroll
            for (int u = 0; u < LOADS; ++u) sum += v[u];
        }
    if (sum == 12345.0f) out[0] = sum;
}

template <int LOADS>
double rate(const char* data, float* out, int lines, int words, int blocks) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    float best = 1e9;
    for (int r = 0; r < 4; ++r) {
        cudaEventRecord(begin);
        requests<LOADS><<<blocks, THREADS>>>(data, out, lines, words);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float ms;
        cudaEventElapsedTime(&ms, begin, end);
        best = std::min(best, ms);
    }
    const int per = lines / blocks, step = 32 / words * LOADS;
    return (double)(per / step * step) * blocks * ROUNDS / best / 1e6;
}

int main() {
    char* data;
    float* out;
    cudaMalloc(&data, 64 << 20);
    cudaMemset(data, 1, 64 << 20);
    cudaMalloc(&out, 4);
    printf("mib,words,blocks,one_load,four_loads\n");  // thousand million lines a second
    for (int mib : {8, 16, 24})
        for (int words : {1, 2, 4, 8, 16, 32})
            for (int blocks : {1, 33, 66, 132, 264}) {
                const int lines = mib * 8192 / SMS * std::min(blocks, SMS);
                printf("%d,%d,%d,%.2f,%.2f\n", mib, words, blocks, rate<1>(data, out, lines, words, blocks),
                       rate<4>(data, out, lines, words, blocks));
            }
    return cudaGetLastError() != cudaSuccess;
}
