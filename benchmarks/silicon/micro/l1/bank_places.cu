// Which lines L1 gives up for lines of one set, and until when these keep their places: one SM reads `kept` lines, then
// `warps` warps load 32 lines of one set each, then one more warp reads `fresh` lines, and at the end those that are
// still there are counted, one by one.
//
//   nvcc -std=c++17 -arch=native -O3 bank_places.cu -o bank_places && ./bank_places > bank_places.csv     (two minutes)
//
// `slow` lanes of each of these loads read the host's memory, in which another set's lines are, while 8 other SMs read it
// too, so they take more than 4,000 cycles; the other lanes' lines are in L2. `fresh` lines are read 3,000 cycles
// after the loads (`while`), or once they are complete (`after`).
//
// `in_bank` and `elsewhere`: kept lines that are gone, of the bank of the set and of the others; a line's bank as the
// parities of its set's number ANDed with 0xB5 and with 0x1DA. `fresh_gone`: fresh lines that are gone. `first_back`
// and `last_back`: cycles from the first load of the warps to the first and the last that is complete; `fresh_back`: to
// the last fresh line.
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

constexpr int COLUMNS[15] = {0x71,  0x1B, 0x176, 0x149, 0x39,  0x1E1, 0x1DD, 0xEE,
                             0x194, 0x8D, 0x1AC, 0xF4,  0x12F, 0x82,  0xF0};  // micro/l1/sets.py
constexpr int MOST_LINES = 4096, MOST_WARPS = 24, DELAY = 3000, HIT = 150, FRESH_FIRST = 4096, OTHERS = 8192;

struct Plan {
    const float* data;        // the kept lines, and the fresh ones from FRESH_FIRST on
    const float* host;
    const unsigned* lines;    // [warp][lane] of `data`, or of `host` for the slow lanes
    unsigned slow;            // lanes
    int kept, warps, fresh;
    bool after;
};

struct Result {
    unsigned cycles[MOST_LINES];  // of each kept and each fresh line at the end
    unsigned back[MOST_WARPS];
    unsigned fresh_back;
};

__device__ float load(const float* at) {
    float x;
    asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(x) : "l"(at));
    return x;
}

__device__ unsigned since(unsigned began, float used) { return (unsigned)clock() - began + (used == 1.5f); }

__device__ float read_host(const float* far, size_t lines, volatile int* done) {
    float sum = 0.0f;
    for (size_t at = (blockIdx.x * 32 + threadIdx.x / 32) * size_t(7919) * 32; !*done; at += 32)
        sum += __ldcg(far + (at + threadIdx.x % 32) % lines * 32);
    return sum;
}

__global__ void bank_places(Plan p, const float* far, size_t far_lines, volatile int* done, Result* result, float* out) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (blockIdx.x) {
        out[threadIdx.x] = read_host(far, far_lines, done);
        return;
    }
    for (const long long began = clock64(); clock64() - began < 40000;) {
    }
    float sum = 0.0f;
    for (int i = warp * 32 + lane; i < p.kept; i += blockDim.x) sum += load(p.data + (size_t)i * 32);
    if (sum == 1.5f) out[0] = sum;
    __syncthreads();
    const unsigned start = clock();
    if (warp < p.warps) {
        const size_t line = p.lines[warp * 32 + lane];
        sum += load((p.slow >> lane & 1 ? p.host : p.data) + line * 32);
        const unsigned took = since(start, sum);
        if (lane == 0) result->back[warp] = took;
    }
    if (p.after) __syncthreads();
    if (warp == MOST_WARPS) {
        while (!p.after && (unsigned)clock() - start < DELAY) {
        }
        for (int i = lane; i < p.fresh; i += 32) sum += load(p.data + (size_t)(FRESH_FIRST + i) * 32);
        const unsigned took = since(start, sum);
        if (lane == 0) result->fresh_back = took;
    }
    __syncthreads();
    if (warp == 0) {
        for (int i = 0; i < p.kept + p.fresh; ++i) {
            const float* at = p.data + (size_t)(i < p.kept ? i : FRESH_FIRST + i - p.kept) * 32;
            const unsigned began = clock();
            float x;
            asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(x) : "l"(at + (sum == 1.5f)));
            sum += x;
            const unsigned took = since(began, sum);
            if (lane == 0) result->cycles[i] = took;
        }
        if (lane == 0) *done = 1;
    }
    out[threadIdx.x] = sum;
}

__global__ void bring(const float* data, size_t lines, float* out) {
    float sum = 0.0f;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += gridDim.x * blockDim.x)
        sum += __ldcg(data + i * 32);
    if (sum == 1.5f) *out = sum;
}

int set_of(size_t line) {
    int set = line & 511;
    for (int bit = 0; bit < 15; ++bit)
        if (line >> (9 + bit) & 1) set ^= COLUMNS[bit];
    return set;
}

int bank_of_set(int set) {
    return (__builtin_popcount(set & 0xB5) & 1) | (__builtin_popcount(set & 0x1DA) & 1) << 1;
}

std::vector<unsigned> lines_of_set(const float* data, size_t first, size_t end, int set) {
    const size_t base = (size_t)data >> 7;
    std::vector<unsigned> lines;
    for (size_t line = first; line < end; ++line)
        if (set_of(base + line) == set) lines.push_back(line);
    return lines;
}

int main() {
    const size_t bytes = size_t(16) << 20, host_bytes = size_t(2) << 30, lines = bytes / 128, half = host_bytes / 256;
    float *data, *memory, *host, *out;
    int* done;
    unsigned* asked;
    Result *result, got;
    cudaMalloc(&data, bytes);
    cudaMemset(data, 0, bytes);
    cudaHostAlloc(&memory, host_bytes, cudaHostAllocMapped);
    cudaHostGetDevicePointer(&host, memory, 0);
    cudaMalloc(&out, 1024 * sizeof *out);
    cudaMalloc(&done, sizeof *done);
    cudaMalloc(&asked, MOST_WARPS * 32 * sizeof *asked);
    cudaMalloc(&result, sizeof *result);
    const size_t base = (size_t)data >> 7;
    size_t host_used = 0;
    printf("set,slow,when,warps,kept,fresh,in_bank,elsewhere,fresh_gone,first_back,last_back,fresh_back\n");
    auto measure = [&](int set, unsigned slow, bool after, int warps, int kept, int fresh) {
        const auto same = lines_of_set(data, OTHERS, lines, set);
        const auto far = lines_of_set(host, 0, half, set_of((size_t)host >> 7));
        std::vector<unsigned> of_lanes(MOST_WARPS * 32);
        for (int i = 0; i < MOST_WARPS * 32; ++i)
            of_lanes[i] = slow >> i % 32 & 1 ? far[host_used++ % far.size()] : same[i % same.size()];
        cudaMemcpy(asked, of_lanes.data(), of_lanes.size() * sizeof of_lanes[0], cudaMemcpyHostToDevice);
        cudaMemset(done, 0, sizeof *done);
        cudaMemset(result, 0, sizeof *result);
        bring<<<132, 256>>>(data, lines, out);
        const Plan plan{data, host, asked, slow, kept, warps, fresh, after};
        bank_places<<<slow ? 9 : 1, (MOST_WARPS + 1) * 32>>>(plan, host + half * 32, half, done, result, out);
        cudaMemcpy(&got, result, sizeof got, cudaMemcpyDeviceToHost);
        int in_bank = 0, elsewhere = 0, fresh_gone = 0;
        const int bank = bank_of_set(set);
        for (int i = 0; i < kept + fresh; ++i) {
            if (got.cycles[i] <= HIT) continue;
            if (i >= kept)
                ++fresh_gone;
            else
                ++(bank_of_set(set_of(base + i)) == bank ? in_bank : elsewhere);
        }
        printf("%d,%08x,%s,%d,%d,%d,%d,%d,%d,%u,%u,%u\n", set, slow, after ? "after" : "while", warps, kept, fresh,
               in_bank, elsewhere, fresh_gone, *std::min_element(got.back, got.back + warps),
               *std::max_element(got.back, got.back + warps), got.fresh_back);
    };
    for (int set : {0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 361}) measure(set, 0, true, 20, 1024, 0);
    for (int warps : {1, 2, 4, 6, 8, 10, 12, 14, 16, 20})
        for (int kept = 0; kept <= 1792; kept += 256) measure(77, 0, true, warps, kept, 0);
    for (int fresh : {0, 256, 384, 512, 640, 768})
        for (unsigned slow : {0u, 1u, 3u, 0x10001u, 0x01010101u, 0xFFu, 0xFFFFu, 0x55555555u, 0xFFFFFFFFu})
            for (bool after : {false, true})
                for (int again = 0; again < 3; ++again) measure(77, slow, after, 4, 1024, fresh);
    return cudaGetLastError() != cudaSuccess;
}
