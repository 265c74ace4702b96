// Whether L1 gives up a line that still waits for its data.
// One warp reads lines of one set (the hash is that of `sets.py`), of which L2 has some and DRAM must bring the others;
// 3,000 cycles later it reads one of them again. A launch for each line, six addresses for each launch.
//
//   nvcc -std=c++17 -arch=native -O3 lines_on_the_way.cu -o lines_on_the_way && ./lines_on_the_way > lines_on_the_way.csv
//
// Columns: carve-out for shared memory, percent; the loads, one after the other: `c` is a line that comes from DRAM, `w`
// one that L2 has; cycles between the loads; in how many of six launches each of the lines was kept, in order.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

constexpr int LANES = 32, LOADS = 4, REPEATS = 6, SETTLED = 3000, HIT_BELOW = 150;
constexpr size_t DATA = size_t(1) << 30, FLUSHED = size_t(256) << 20;

__device__ unsigned now() {
    unsigned cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
    return cycles;
}

__device__ float through_l1(const float* at) {
    float x;
    asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(x) : "l"(at) : "memory");
    return x;
}

__device__ float past_l1(const float* at) {
    float x;
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(x) : "l"(at) : "memory");
    return x;
}

__device__ void pause(unsigned cycles) {
    for (const unsigned began = now(); now() - began < cycles;) {}
    __syncwarp();
}

// A lane's line, the load that reads it, and whether L2 shall have it.
struct Lane {
    const float* line;
    int load, in_l2;
};

__global__ void read(const Lane* lanes, int between, int again, unsigned* cycles, float* sink) {
    const Lane mine = lanes[threadIdx.x];
    float sum = mine.in_l2 ? past_l1(mine.line) : 0.0f;
    if (sum == 12345.0f) *sink = sum;
    pause(SETTLED);
    float x[LOADS] = {};
#pragma unroll
    for (int load = 0; load < LOADS; ++load) {
        if (mine.load == load) x[load] = through_l1(mine.line);
        __syncwarp();
        pause(between);
    }
    for (int load = 0; load < LOADS; ++load) sum += x[load];
    if (sum == 12345.0f) *sink = sum;
    pause(SETTLED);
    if (threadIdx.x == again) {
        const unsigned began = now();
        sum += through_l1(mine.line + 2);
        if (sum == 12345.0f) *sink = sum;
        *cycles = now() - began;
    }
}

__global__ void flush(const float* data, size_t count, float* sink) {
    float sum = 0;
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
        sum += data[i];
    if (sum == 12345.0f) *sink = sum;
}

constexpr unsigned COLUMNS[] = {0x71, 0x1B, 0x176, 0x149, 0x39, 0x1E1, 0x1DD, 0xEE, 0x194, 0x8D, 0x1AC, 0xF4, 0x12F, 0x82, 0xF0};

// The line of a set in a group of 512 lines.
const float* line_in(const char* data, uint64_t group, unsigned set) {
    const uint64_t above = (uint64_t(data) >> 16) + group;
    for (int bit = 0; bit < 15; ++bit)
        if (above >> bit & 1) set ^= COLUMNS[bit];
    return reinterpret_cast<const float*>((above << 9 | (set & 511)) << 7);
}

int main() {
    const struct { const char* loads; int between; } orders[] = {
        {"c wwww", 0}, {"w wwww", 0}, {"c www", 0}, {"c wwwww", 0}, {"c wwwwwwww", 0}, {"c ww ww ww", 200},
        {"c wwww ww ww", 150}, {"w ww ww ww", 400}, {"cccc w", 0}, {"cccc wwww", 0}, {"wwww wwww", 500}, {"cccccccc", 0},
        {"wwwwwwww", 0}, {"wwwwwwwwwwwwwwww", 0}, {"cc wwwwww", 0}, {"wwwwwwcc", 0}, {"ccwwwwww", 0}};
    char* data;
    float *flushed, *sink;
    Lane *lanes, host[LANES];
    unsigned *cycles, took;
    cudaMalloc(&data, DATA);
    cudaMemset(data, 0, DATA);
    cudaMalloc(&flushed, FLUSHED);
    cudaMemset(flushed, 0, FLUSHED);
    cudaMalloc(&sink, sizeof *sink);
    cudaMalloc(&lanes, sizeof host);
    cudaMalloc(&cycles, sizeof *cycles);
    printf("carve_out,loads,between,kept\n");
    for (int carve_out : {0, 100}) {
        cudaFuncSetAttribute(read, cudaFuncAttributePreferredSharedMemoryCarveout, carve_out);
        for (const auto& order : orders) {
            printf("%d,%s,%d,", carve_out, order.loads, order.between);
            const int lines = std::count_if(order.loads, order.loads + strlen(order.loads), [](char c) { return c != ' '; });
            for (int again = 0; again < lines; ++again) {
                int kept = 0;
                for (int repeat = 0; repeat < REPEATS; ++repeat) {
                    int lane = 0, load = 0;
                    for (const char* c = order.loads; *c; ++c)
                        if (*c == ' ') {
                            ++load;
                        } else {
                            const float* line = line_in(data, 100 + repeat * 397 + lane * 13 + again * 31, 37 * repeat + 11);
                            host[lane++] = {line, load, *c == 'w'};
                        }
                    for (; lane < LANES; ++lane) host[lane] = {reinterpret_cast<const float*>(data), -1, 0};
                    cudaMemcpy(lanes, host, sizeof host, cudaMemcpyHostToDevice);
                    flush<<<264, 512>>>(flushed, FLUSHED / sizeof *flushed, sink);
                    read<<<1, LANES>>>(lanes, order.between, again, cycles, sink);
                    cudaMemcpy(&took, cycles, sizeof took, cudaMemcpyDeviceToHost);
                    kept += took < HIT_BELOW;
                }
                printf("%s%d", again ? " " : "", kept);
            }
            printf("\n");
        }
    }
    return cudaGetLastError() != cudaSuccess;
}
