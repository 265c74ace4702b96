// What L1 keeps of private lines while their misses take longer: one SM runs the kernel of micro/l2/private_lines, with
// 6 to 8 blocks of 256 threads, and the other SMs read from DRAM meanwhile, past L1, with 0 to 6 blocks each.
//
//   nvcc -std=c++17 -arch=native -O3 held_places.cu -o held_places
//   ncu --cache-control none --clock-control none --csv --page raw --metrics
//       l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.max,gpu__time_duration.sum
//       ./held_places UNROLL STRIDE BLOCKS STREAMS marks.u32
//
// Only the one SM can hit, so `.max` is of that SM. marks.u32: [64 warps][512 elements] %clock when the element was
// there, of the last of three launches. `held_places.csv` (tests/silicon/h100-sxm/) has the hits and times of the last
// launch, relative to what its lanes read; `held_places.npz` the marks of some, `first_*` of each warp's first element
// and `since_*` from each to the next, in cycles, at most 65,535.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

constexpr int SMS = 132, MOST_BLOCKS = 8, THREADS = 256, N = 512, WARPS = 64, SETTLED = 60000;

__device__ unsigned this_sm() {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

// Reads until all private blocks are done.
__device__ float stream(const float4* big, size_t lines, int blocks, volatile int* done) {
    float sum = 0.0f;
    size_t at = ((size_t)(blockIdx.x * 8 + threadIdx.x / 32) * 7919 * 64) % lines;
    while (done[0] < blocks)
        for (int k = 0; k < 16; ++k) {
            float4 v;
            asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0,%1,%2,%3}, [%4];"
                         : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                         : "l"(big + at * 8 + threadIdx.x % 32));
            sum += v.x;
            at += 4;
            if (at >= lines - 8) at = 0;
        }
    return sum;
}

template <int UNROLL> __device__ float walk(const float* own, unsigned* mark) {
    float sum = 0.0f;
#pragma unroll 1
    for (int i = 0; i < N; i += UNROLL) {
        float x[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; ++k)
            asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(x[k]) : "l"(own + i + k));
#pragma unroll
        for (int k = 0; k < UNROLL; ++k) {
            const float root = rsqrtf(x[k]);
            unsigned now;
            asm volatile("{ .reg .f32 t; add.f32 t, %1, 0f3F800000; mov.u32 %0, %%clock; }"
                         : "=r"(now)
                         : "f"(x[k]));
            if (threadIdx.x % 32 == 0)
                asm volatile("st.global.L1::no_allocate.u32 [%0], %1;" ::"l"(mark + i + k), "r"(now));
            sum += root;
            sum *= 0.99f;
            sum += x[k] * 0.5f;
            sum -= x[k] * 0.1f;
            sum *= 1.01f;
            sum += x[k] * x[k] * 0.01f;
            sum -= root * 0.5f;
            sum += 0.001f;
        }
    }
    return sum;
}

template <int UNROLL>
__global__ void __launch_bounds__(THREADS, MOST_BLOCKS)
    held_places(const float* data, const float4* big, size_t lines, float* out, int stride, int blocks, int streams,
                unsigned* marks, int* arrived, volatile int* done) {
    const unsigned sm = this_sm();
    __shared__ int place;
    if (threadIdx.x == 0) place = atomicAdd(arrived + sm, 1);
    __syncthreads();
    if (place >= (sm ? streams : blocks)) return;
    float sum;
    if (sm) {
        sum = stream(big, lines, blocks, done);
    } else {
        if (threadIdx.x == 0) {
            atomicAdd((int*)done + 1, 1);
            while (done[1] < blocks) {
            }
        }
        __syncthreads();
        if (streams)
            for (const long long began = clock64(); clock64() - began < SETTLED;) {
            }
        const int thread = place * THREADS + threadIdx.x;
        sum = walk<UNROLL>(data + (size_t)thread * stride, marks + (size_t)(thread / 32) * N);
        __syncthreads();
        if (threadIdx.x == 0) atomicAdd((int*)done, 1);
    }
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

int main(int, char** asked) {
    const int unroll = atoi(asked[1]), stride = atoi(asked[2]), blocks = atoi(asked[3]), streams = atoi(asked[4]);
    const size_t bytes = size_t(4) << 30, own = size_t(WARPS) * 32 * stride * sizeof(float);
    float *data, *out;
    float4* big;
    unsigned* marks;
    int *arrived, *done;
    cudaMalloc(&data, own);
    cudaMemset(data, 0, own);
    cudaMalloc(&big, bytes);
    cudaMemset(big, 0, bytes);
    cudaMalloc(&out, SMS * MOST_BLOCKS * THREADS * sizeof *out);
    cudaMalloc(&marks, WARPS * N * sizeof *marks);
    cudaMalloc(&arrived, SMS * sizeof *arrived);
    cudaMalloc(&done, 2 * sizeof *done);
    const auto kernel = unroll == 1 ? held_places<1> : held_places<2>;
    for (int launch = 0; launch < 3; ++launch) {
        cudaMemset(marks, 0, WARPS * N * sizeof *marks);
        cudaMemset(arrived, 0, SMS * sizeof *arrived);
        cudaMemset(done, 0, 2 * sizeof *done);
        kernel<<<SMS * MOST_BLOCKS, THREADS>>>(data, big, bytes / 128, out, stride, blocks, streams, marks, arrived, done);
        cudaDeviceSynchronize();
    }
    std::vector<unsigned> read(WARPS * N);
    cudaMemcpy(read.data(), marks, read.size() * sizeof read[0], cudaMemcpyDeviceToHost);
    FILE* file = fopen(asked[5], "wb");
    fwrite(read.data(), sizeof read[0], read.size(), file);
    fclose(file);
    return cudaGetLastError() != cudaSuccess;
}
