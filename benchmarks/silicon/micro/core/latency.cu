// Latencies of one warp on an idle GPU, in cycles: chains in which each instruction needs the result of the one
// before. Prints `what,cycles` lines.
//
//   nvcc -arch=native -O3 latency.cu -o latency && ./latency > latency.h200.csv
#include <cstdio>
#include <cuda_runtime.h>

constexpr int STEPS = 64;
constexpr size_t LINES = size_t(1) << 23;  // of 128 bytes: 1 GiB, far beyond any L2

#define CHAIN(name, declaration, step, result)                                            \
    __global__ void name(long long* cycles, void** pointers, int zero, unsigned* sink) {  \
        __shared__ int words[32];                                                         \
        unsigned lane = threadIdx.x, base = unsigned(__cvta_generic_to_shared(words));    \
        words[lane] = int(base + lane * 4);                                               \
        __syncwarp();                                                                     \
        declaration;                                                                      \
        long long best = 1ll << 60;                                                       \
        for (int repeat = 0; repeat < 8; ++repeat) {                                      \
            long long start = clock64();                                                  \
            _Pragma("unroll") for (int i = 0; i < STEPS; ++i) { step; }                   \
            asm volatile("" ::"r"(unsigned(result)) : "memory");                          \
            sink[lane] = unsigned(result);                                                \
            best = min(best, clock64() - start);                                          \
        }                                                                                 \
        *cycles = best;                                                                   \
    }

CHAIN(shared_load, unsigned p = base + lane * 4, asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)), p)
CHAIN(shared_atomic, unsigned p = base + lane * 4,
      asm volatile("atom.shared.add.u32 %0, [%0], %1;" : "+r"(p) : "r"(zero)), p)
CHAIN(shared_atomic_one_address, unsigned p = base,
      asm volatile("atom.shared.add.u32 %0, [%0], %1;" : "+r"(p) : "r"(zero)), p)
CHAIN(shuffle, unsigned p = lane, p = __shfl_sync(~0u, p, p), p)
CHAIN(special_function, float x = float(zero), asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x)),
      __float_as_uint(x))
CHAIN(l1_load, unsigned long long p = (unsigned long long)pointers,
      asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)), p)
CHAIN(l2_load, unsigned long long p = (unsigned long long)pointers,
      asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)), p)

// Each line points far ahead, so that no step finds its line in a cache.
__global__ void link_lines(void** lines, size_t count, size_t ahead) {
    size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    lines[i * 16] = lines + ((i + ahead) % count) * 16;
}

__global__ void far_load(long long* cycles, void** pointers, int, unsigned* sink) {
    unsigned long long p = (unsigned long long)pointers;
    long long start = clock64();
    for (int i = 0; i < 4 * STEPS; ++i) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p));
    sink[threadIdx.x] = unsigned(p);
    *cycles = (clock64() - start) / 4;
}

int main() {
    long long* cycles;
    unsigned* sink;
    void** lines;
    cudaMallocManaged(&cycles, sizeof *cycles);
    cudaMalloc(&sink, 128);
    cudaMalloc(&lines, LINES * 128);
    using Kernel = void (*)(long long*, void**, int, unsigned*);
    auto report = [&](const char* what, Kernel kernel) {
        kernel<<<1, 32>>>(cycles, lines, 0, sink);
        cudaError_t status = cudaDeviceSynchronize();
        if (status != cudaSuccess) printf("%s failed: %s\n", what, cudaGetErrorString(status));
        else printf("%s,%.1f\n", what, double(*cycles) / STEPS);
    };
    cudaDeviceProp device;
    cudaGetDeviceProperties(&device, 0);
    printf("# %s, %d SMs, L2 %d bytes\n", device.name, device.multiProcessorCount, device.l2CacheSize);
    report("shared_load", shared_load);
    report("shared_atomic", shared_atomic);
    report("shared_atomic_one_address", shared_atomic_one_address);
    report("shuffle", shuffle);
    report("special_function", special_function);
    link_lines<<<LINES / 256, 256>>>(lines, LINES, 32771);
    cudaDeviceSynchronize();
    report("dram_load", far_load);
    link_lines<<<256 / 256, 256>>>(lines, 256, 37);  // 256 lines, of near and far partition
    far_load<<<1, 32>>>(cycles, lines, 0, sink);  // brings them into L2
    cudaDeviceSynchronize();
    report("l2_load_mean", far_load);
    cudaMemcpy(lines, &lines, sizeof lines, cudaMemcpyHostToDevice);  // the first line points to itself
    report("l1_load_64_bit", l1_load);
    report("l2_load_one_line", l2_load);
}
