// What L2 keeps from launch to launch: `mib` MiB are read, copied (half to half), updated in place, written, one half
// updated with the other, or two thirds or seven eighths read and the rest written, 20 or 200 launches in a row, in chunks of 16 KB that 264 blocks take in turn. With a turn of
// 37, each launch gives each block another's chunks; with a turn of -1, each chunk, then of 4 KB, has a block of its
// own, so that there are many waves. Prints microseconds a launch, or, with an argument, brackets 20 launches for the
// profiler:
//
//   nvcc -std=c++17 -arch=native -O3 residency.cu -o residency && ./residency
//   ncu --replay-mode range --cache-control none --clock-control none --csv --page raw --metrics
//       dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sectors_srcunit_tex_lookup_miss.sum,
//       lts__t_sectors_srcunit_ltcfabric.sum ./residency profile
//
// `residency.<gpu>.csv` joins the two.
#include <cstdio>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

enum Mode { READ, COPY, UPDATE, WRITE, COMBINE, THIRDS, EIGHTHS };
const char* const NAMES[] = {"read", "copy", "update", "write", "combine", "thirds", "eighths"};
constexpr int BLOCKS = 264, THREADS = 1024, SMALL = 256, BYTES_PER_THREAD = sizeof(float4);

template <Mode MODE>
__global__ void stream(float4* a, float4* b, int chunks, int turn) {
    const int first = (blockIdx.x + turn) % gridDim.x;
    float4 sum = {0, 0, 0, 0};
    for (int c = first; c < chunks; c += gridDim.x) {
        const size_t i = (size_t)c * blockDim.x + threadIdx.x;
        if (MODE == WRITE) {
            a[i] = make_float4(1, 2, 3, turn);
            continue;
        }
        float4 v = a[i];
        if (MODE == THIRDS || MODE == EIGHTHS) {
            const size_t part = (size_t)chunks * blockDim.x;
            constexpr int READS = MODE == THIRDS ? 2 : 7;
#pragma unroll
            for (int r = 1; r < READS; ++r) v.x += a[r * part + i].x;
            a[READS * part + i] = v;
        }
        if (MODE == READ) sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
        if (MODE == COPY) b[i] = v;
        if (MODE == COMBINE) {
            float4 w = b[i];
            w.x += v.x;
            b[i] = w;
        }
        if (MODE == UPDATE) {
            v.x += 1;
            a[i] = v;
        }
    }
    if (MODE == READ && sum.x + sum.y + sum.z + sum.w == 12345.0f) b[0] = sum;
}

template <Mode MODE>
void launch_as(char* data, int mib, int turn) {
    const bool has_halves = MODE == COPY || MODE == COMBINE;
    const int parts = has_halves ? 2 : MODE == THIRDS ? 3 : MODE == EIGHTHS ? 8 : 1;
    const int threads = turn < 0 ? SMALL : THREADS;
    const int chunks = mib * ((1 << 20) / (threads * BYTES_PER_THREAD)) / parts;
    float4 *a = (float4*)data, *half = (float4*)(data + ((size_t)mib << 19)), *beyond = (float4*)(data + (1ull << 30));
    stream<MODE><<<turn < 0 ? chunks : BLOCKS, threads>>>(a, has_halves ? half : beyond, chunks, turn < 0 ? 0 : turn);
}

void launch(int mode, char* data, int mib, int turn) {
    switch (mode) {
        case READ: launch_as<READ>(data, mib, turn); break;
        case COPY: launch_as<COPY>(data, mib, turn); break;
        case UPDATE: launch_as<UPDATE>(data, mib, turn); break;
        case WRITE: launch_as<WRITE>(data, mib, turn); break;
        case COMBINE: launch_as<COMBINE>(data, mib, turn); break;
        case THIRDS: launch_as<THIRDS>(data, mib, turn); break;
        default: launch_as<EIGHTHS>(data, mib, turn);
    }
}

int main(int argc, char**) {
    const bool profile = argc > 1;
    char* data;
    cudaMalloc(&data, 2ull << 30);
    cudaMemset(data, 1, 2ull << 30);
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int mode = READ; mode <= EIGHTHS; ++mode)
        for (int turn : {0, 37, -1})
            for (int mib : {4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 64, 72, 80, 96}) {
                for (int i = 0; i < 3; ++i) launch(mode, data, mib, turn < 0 ? -1 : i * turn);
                cudaDeviceSynchronize();
                const int launches = profile ? 20 : 200;
                if (profile) cudaProfilerStart();
                cudaEventRecord(begin);
                for (int i = 0; i < launches; ++i) launch(mode, data, mib, turn < 0 ? -1 : i * turn);
                cudaEventRecord(end);
                cudaEventSynchronize(end);
                if (profile) cudaProfilerStop();
                float ms;
                cudaEventElapsedTime(&ms, begin, end);
                printf("%s,%d,%d,%.3f\n", NAMES[mode], turn, mib, ms * 1e3 / launches);
            }
    return cudaGetLastError() != cudaSuccess;
}
