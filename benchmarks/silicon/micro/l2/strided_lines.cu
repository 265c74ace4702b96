// What L2 holds of lines that lie `stride` bytes apart: each thread reads one word of its own lines, past L1.
//
//   nvcc -std=c++17 -arch=native -O3 strided_lines.cu -o strided_lines && ./strided_lines
//   ncu --cache-control none --clock-control none --csv --page raw --metrics lts__t_requests_srcunit_tex.sum,
//       lts__t_requests_srcunit_tex.max,lts__t_requests_srcunit_tex.avg,lts__t_sectors_srcunit_tex_lookup_miss.sum,
//       lts__t_sectors_srcunit_tex_lookup_miss.max,lts__t_sectors_srcunit_tex_lookup_miss.avg,
//       lts__t_sectors_srcunit_ltcfabric.sum,dram__bytes_read.sum,dram__sectors_read.max,dram__sectors_read.avg
//       ./strided_lines
//
// `again`: the same lines in each of 9 rounds; option 0: the first line of each stride, 1: any of them, by a hash.
// `walk`: 1,024 blocks of 256 threads as in private_lines, but past L1: 512 floats one after the other; with option 1
// each block waits for its warps at each new line. `*_busiest` is the largest of the slices or channels over their mean.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int SMS = 132, THREADS = 1024, ROUNDS = 9;

__global__ void again(const char* data, float* out, int lines, int stride, int any) {
    float sum = 0;
    const int per = lines / gridDim.x, first = blockIdx.x * per;
    for (int r = 0; r < ROUNDS; ++r)
        for (int i = threadIdx.x; i < per; i += THREADS) {
            const unsigned line = first + i;
            unsigned h = line * 0x9E3779B1u;
            h ^= h >> 15;
            h *= 0x2C1B3C6Du;
            h ^= h >> 12;
            const unsigned at = any ? h % (stride / 128) : 0;
            sum += __ldcg((const float*)(data + (size_t)line * stride + at * 128));
        }
    if (sum == 12345.0f) out[0] = sum;
}

__global__ void walk(const char* data, float* out, int stride, int together) {
    float sum = 0;
    const float* slice = (const float*)(data + (size_t)(blockIdx.x * 256 + threadIdx.x) * stride);
    for (int line = 0; line < 16; ++line) {
        if (together) __syncthreads();
#pragma unroll 1
        for (int i = 0; i < 32; ++i) sum = sum * 0.5f + __ldcg(slice + line * 32 + i);
    }
    if (sum == 12345.0f) out[0] = sum;
}

int main() {
    char* data;
    float* out;
    const size_t bytes = (size_t)1800 << 20;
    cudaMalloc(&data, bytes);
    cudaMemset(data, 1, bytes);
    cudaMalloc(&out, 4);
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    float ms;
    printf("mode,stride,lines,any,us\n");
    for (int stride : {128, 512, 1024, 2048, 2112, 2176, 2304, 2560, 3072, 4096})
        for (int any : {0, 1})
            for (int lines : {135168, 202752, 236544, 262144, 287232, 304128, 337920, 405504}) {
                if (any && stride < 1024) continue;
                cudaEventRecord(begin);
                again<<<SMS, THREADS>>>(data, out, lines / SMS * SMS, stride, any);
                cudaEventRecord(end);
                cudaEventSynchronize(end);
                cudaEventElapsedTime(&ms, begin, end);
                printf("again,%d,%d,%d,%.1f\n", stride, lines / SMS * SMS, any, ms * 1e3);
            }
    for (int stride : {2048, 2112, 2176, 2304, 2560, 4096})
        for (int together : {0, 1}) {
            cudaEventRecord(begin);
            walk<<<1024, 256>>>(data, out, stride, together);
            cudaEventRecord(end);
            cudaEventSynchronize(end);
            cudaEventElapsedTime(&ms, begin, end);
            printf("walk,%d,%d,%d,%.1f\n", stride, 262144, together, ms * 1e3);
        }
    return cudaGetLastError() != cudaSuccess;
}
