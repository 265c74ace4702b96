// What L1 loses of private lines, by itself: four SMs, so that L2 is never busy, with 4 to 8 blocks of 256 threads,
// each of which reads its own 512 consecutive floats again and again, one at a time. Warps begin at different words of
// a line. In the second form of each setting half of the warps wait 8,000 cycles after each load, as if their lines
// were slow.
//
//   nvcc -std=c++17 -arch=native -O3 private_mix.cu -o private_mix && ./private_mix
//   ncu --cache-control none --clock-control none --csv --page raw --metrics
//       l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
//       ./private_mix
//
// Columns: floats from a thread's first to the next thread's; blocks on an SM; how many of eight warps wait; loads that
// warps did in 1.5 M cycles, those that do not wait and those that do, of all four SMs. `private_mix.csv`
// (tests/silicon/h100-sxm/) has Nsight Compute's sectors and hits beside them, from another run of the same launches.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int SMS = 132, SMS_USED = 4, THREADS = 256, MOST_BLOCKS = 8, PAUSE = 8000, CYCLES = 1500000;

__device__ unsigned now() {
    unsigned cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
    return cycles;
}

// Blocks beyond `blocks` on an SM, and those on other SMs, end at once: a limit by shared memory would make L1 smaller.
__global__ void __launch_bounds__(THREADS, MOST_BLOCKS)
    private_mix(const float* data, float* out, int stride, int waiting, int blocks, int* arrived,
                unsigned long long* loads) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (sm % (SMS / 2) >= SMS_USED / 2) return;
    __shared__ int place;
    if (threadIdx.x == 0) place = atomicAdd(arrived + sm, 1);
    __syncthreads();
    const int block = place, warp = threadIdx.x / 32;
    if (block >= blocks) return;
    const bool waits = (warp * 5 + block * 3) % 8 < waiting;
    const int thread = ((sm / (SMS / 2) * 2 + sm % (SMS / 2)) * MOST_BLOCKS + block) * THREADS + threadIdx.x;
    const float* own = data + (size_t)thread * stride;
    float sum = 0;
    unsigned done = 0;
    int i = (warp * 37 + block * 11) % 32;
    for (const unsigned began = now(); now() - began < CYCLES; ++done) {
        float x;
        asm volatile("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(own + i) : "memory");
        sum = rsqrtf(sum * 0.99f + x + 1.5f);
        i = (i + 1) % 512;
        if (sum == 12345.0f) i = 0;  // never: the load is waited for
        __syncwarp();
        if (waits)
            for (const unsigned loaded = now(); now() - loaded < PAUSE;) __nanosleep(100);
    }
    if (threadIdx.x % 32 == 0) atomicAdd(loads + waits, (unsigned long long)done);
    out[thread] = sum;
}

int main() {
    float *data, *out;
    int* arrived;
    unsigned long long *loads, done[2];
    const int threads = SMS_USED * MOST_BLOCKS * THREADS;
    cudaMalloc(&data, threads * 1024 * sizeof *data);
    cudaMemset(data, 0, threads * 1024 * sizeof *data);
    cudaMalloc(&out, threads * sizeof *out);
    cudaMalloc(&arrived, SMS * sizeof *arrived);
    cudaMalloc(&loads, sizeof done);
    printf("stride,blocks,waiting,loads,loads_of_waiting\n");
    for (int stride : {512, 516, 520, 528, 544, 576, 608, 640, 672, 736, 768, 1008, 1024})
        for (int blocks = 4; blocks <= MOST_BLOCKS; ++blocks)
            for (int waiting : {0, 4}) {
                cudaMemset(arrived, 0, SMS * sizeof *arrived);
                cudaMemset(loads, 0, sizeof done);
                private_mix<<<SMS * 30, THREADS>>>(data, out, stride, waiting, blocks, arrived, loads);
                cudaMemcpy(done, loads, sizeof done, cudaMemcpyDeviceToHost);
                printf("%d,%d,%d,%llu,%llu\n", stride, blocks, waiting, done[0], done[1]);
            }
    return cudaGetLastError() != cudaSuccess;
}
