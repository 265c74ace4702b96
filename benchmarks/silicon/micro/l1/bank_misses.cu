// Loads of 32 lines that lie in one, two or all banks of L1, of which some hit and the others are in L2.
//
//   nvcc -std=c++17 -arch=native -O3 bank_misses.cu -o bank_misses && ./bank_misses > bank_misses.csv     (ten seconds)
//
// One SM, 32 warps, eight loads of each at once. A line's bank: `set`, as the parities of its set's number ANDed with
// 0xB5 and with 0x1DA; `line`, as those of its own number ANDed with 0x37AB5 and with 0x6D5DA, which are the same in
// the first 2^18 lines. `lines`: the lines are drawn from 2^lines in a row. `cycles`: of the SM for a load.
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
#include <random>
#include <vector>

constexpr int COLUMNS[15] = {0x71,  0x1B, 0x176, 0x149, 0x39,  0x1E1, 0x1DD, 0xEE,
                             0x194, 0x8D, 0x1AC, 0xF4,  0x12F, 0x82,  0xF0};  // micro/l1/sets.py
constexpr int LOADS = 8, WARPS = 32, ROUNDS = 32, LANES = 32768, HOT = 64, MOST_LINES = 60000;

__global__ void bring(const float* data, const unsigned* lines, int count, float* out) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        sum += __ldcg(data + (size_t)lines[i] * 32);
    if (sum == 1.5f) *out = sum;
}

__global__ void bank_misses(const float* data, const unsigned* lines, int count, long long* cycles, float* out) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = 0.0f;
    __syncthreads();
    const long long began = clock64();
    for (int r = 0; r < ROUNDS; ++r) {
        unsigned at[LOADS];
        float x[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) at[k] = __ldcg(lines + (((r * LOADS + k) * WARPS + warp) * 32 + lane) % count);
#pragma unroll
        for (int k = 0; k < LOADS; ++k)
            asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(x[k]) : "l"(data + (size_t)at[k] * 32));
#pragma unroll
        for (int k = 0; k < LOADS; ++k) sum += x[k];
    }
    __syncthreads();
    if (threadIdx.x == 0) *cycles = clock64() - began;
    out[threadIdx.x] = sum;
}

int bank_by_set(size_t line) {
    int set = line & 511;
    for (int bit = 0; bit < 15; ++bit)
        if (line >> (9 + bit) & 1) set ^= COLUMNS[bit];
    return (__builtin_popcount(set & 0xB5) & 1) | (__builtin_popcount(set & 0x1DA) & 1) << 1;
}

int bank_by_line(size_t line) {
    return (__builtin_popcountll(line & 0x37AB5) & 1) | (__builtin_popcountll(line & 0x6D5DA) & 1) << 1;
}

int main() {
    const size_t bytes = size_t(2) << 30;
    float *data, *out;
    unsigned* lines;
    long long *cycles, took;
    cudaMalloc(&data, bytes);
    cudaMemset(data, 0, bytes);
    cudaMalloc(&out, WARPS * 32 * sizeof *out);
    cudaMalloc(&lines, LANES * sizeof *lines);
    cudaMalloc(&cycles, sizeof *cycles);
    const size_t base = (size_t)data >> 7;
    std::mt19937 random(1);
    printf("bank_by,lines,hits,banks,cycles\n");
    for (bool by_set : {true, false})
        for (int bits = 17; bits <= 22; ++bits)
            for (int hits : {0, 8, 16, 24, 32})
                for (int banks : {1, 2, 4}) {
                    if (hits && bits > 17) continue;
                    std::vector<unsigned> some, of_lanes;
                    for (size_t line = 0; line < size_t(1) << bits; ++line)
                        if ((by_set ? bank_by_set(base + line) : bank_by_line(base + line)) < banks)
                            some.push_back(line);
                    std::shuffle(some.begin(), some.end(), random);
                    const int cold = std::min<size_t>(some.size(), MOST_LINES) - HOT;
                    for (int i = 0; i < LANES; ++i)
                        of_lanes.push_back(some[i % 32 < hits ? (i / 32 * 7 + i % 32) % HOT : HOT + i % cold]);
                    cudaMemcpy(lines, of_lanes.data(), LANES * sizeof *lines, cudaMemcpyHostToDevice);
                    for (int launch = 0; launch < 2; ++launch) {
                        bring<<<132, 256>>>(data, lines, LANES, out);
                        bank_misses<<<1, WARPS * 32>>>(data, lines, LANES, cycles, out);
                    }
                    cudaMemcpy(&took, cycles, sizeof took, cudaMemcpyDeviceToHost);
                    printf("%s,%d,%d,%d,%.1f\n", by_set ? "set" : "line", bits, hits, banks,
                           double(took) / (ROUNDS * LOADS * WARPS));
                }
    return cudaGetLastError() != cudaSuccess;
}
