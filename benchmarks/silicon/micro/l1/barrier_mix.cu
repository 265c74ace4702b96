// What barriers, and loads that miss L1, cost the data stage of L1 and shared memory: blocks that store two words a
// thread to shared memory and load 4 or 8, with up to two barriers and two global loads an iteration. A global load's
// lines have their words in the same banks. Prints the SM's cycles for one warp's iteration and how many blocks ran at
// a time on average; what saturates the data stage is its cost.
//
//   nvcc -arch=native -O3 barrier_mix.cu -o barrier_mix && ./barrier_mix > barrier_mix.h200.csv
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>

constexpr int SMS = 132, ITERATIONS = 600, REGION = 1 << 16;  // words for two SMs
#define UNROLL _Pragma("unroll")

template <int LOADS, int BARRIERS, int GLOBAL_LOADS>
__global__ void barrier_mix(unsigned* data, int lines, unsigned mask, long long* trace) {
    __shared__ unsigned words[1024];
    unsigned at = (unsigned)__cvta_generic_to_shared(words) + threadIdx.x % 64 * 4;
    unsigned lane = threadIdx.x % 32, warps = blockDim.x / 32, sm;
    asm("mov.u32 %0,%%smid;" : "=r"(sm));
    unsigned warp = blockIdx.x / SMS * warps + threadIdx.x / 32, all = gridDim.x / SMS * warps;
    unsigned* own = data + (sm / 2 * REGION) + lane * lines / 32 * 32 + lane % (32 / lines);
    unsigned sum = 0, loaded[2][2] = {};
    long long began = clock64();
#pragma unroll 1
    for (int i = 0; i < ITERATIONS; i += 2)
        UNROLL for (int q = 0; q < 2; q++) {
            UNROLL for (int h = 0; h < GLOBAL_LOADS; h++) {
                sum ^= loaded[q][h];
                asm volatile("ld.global.ca.u32 %0,[%1];"
                             : "=r"(loaded[q][h])
                             : "l"(own + (((((i + q) * GLOBAL_LOADS + h) * all + warp) * lines * 32) & mask)));
            }
            unsigned x[LOADS];
            UNROLL for (int j = 0; j < 2; j++)
                asm volatile("st.shared.u32 [%0],%1;" ::"r"(at + j * 256), "r"(lane) : "memory");
            if (BARRIERS) __syncthreads();
            UNROLL for (int j = 0; j < LOADS; j++)
                asm volatile("ld.volatile.shared.u32 %0,[%1];" : "=r"(x[j]) : "r"(at + j * 256));
            if (BARRIERS > 1) __syncthreads();
            UNROLL for (int j = 0; j < LOADS; j++) sum ^= x[j];
        }
    __syncthreads();
    if (!lane) {
        long long* mine = trace + blockIdx.x * 3;
        mine[0] = began;
        mine[1] = clock64() + sum * 0;
        mine[2] = sm;
    }
    if (sum == 77) *data = sum;
}

unsigned* data;
long long *trace, ends[9999];

template <int LOADS, int BARRIERS, int GLOBAL_LOADS>
void measure(int lines, int footprint) {
    for (int threads : {64, 256})
        for (int blocks : {2, 4, 8, 24}) {
            if (blocks * threads >= 4096) continue;
            int grid = SMS * blocks;
            for (int repeat = 0; repeat < 2; repeat++)
                barrier_mix<LOADS, BARRIERS, GLOBAL_LOADS><<<grid, threads>>>(data, lines, footprint - 1, trace);
            cudaMemcpy(ends, trace, grid * 3 * sizeof *ends, cudaMemcpyDeviceToHost);
            double resident = 0, busy = 0;
            for (int sm = 0; sm < SMS; sm++) {
                long long first = 1ll << 62, last = 0;
                for (int i = 0; i < grid; i++)
                    if (ends[i * 3 + 2] == sm) {
                        first = std::min(first, ends[i * 3]);
                        last = std::max(last, ends[i * 3 + 1]);
                        resident += ends[i * 3 + 1] - ends[i * 3];
                    }
                busy += last - first;
            }
            printf("%d,%d,%d,%d,%d,%d,%d,%.2f,%.1f\n", LOADS, BARRIERS, GLOBAL_LOADS, lines, footprint, blocks,
                   threads, busy / SMS / ITERATIONS / (blocks * threads / 32), resident / busy);
        }
}

template <int LOADS, int BARRIERS>
void measure_all() {
    measure<LOADS, BARRIERS, 0>(1, 2048);
    for (int footprint : {2048, REGION}) {
        measure<LOADS, BARRIERS, 1>(4, footprint);
        measure<LOADS, BARRIERS, 2>(4, footprint);
        measure<LOADS, BARRIERS, 2>(1, footprint);
    }
}

int main() {
    cudaMalloc(&data, 1 << 25);
    cudaMemset(data, 0, 1 << 25);
    cudaMalloc(&trace, sizeof ends);
    printf("loads,barriers,global_loads,lines,footprint_words,blocks,threads,cycles,resident\n");
    measure_all<4, 0>();
    measure_all<4, 1>();
    measure_all<4, 2>();
    measure_all<8, 0>();
    measure_all<8, 2>();
}
