// How the slices of an H100's L2 hold up those who wait for them: where lines lie, what L2 keeps, how fast slices
// serve misses, what a slice that is asked for too much does to an SM, and what the kernel of `private_lines` does.
//
//   nvcc -std=c++17 -arch=sm_90 -O3 slice_pressure.cu -o slice_pressure && ./slice_pressure FOLDER     (seconds)
//   ncu --cache-control none --clock-control none --csv --page raw --metrics gpu__time_duration.sum,
//       lts__t_requests_srcunit_tex.sum,dram__sectors_read.sum,dram__sectors_read.avg,dram__sectors_read.max
//       ./slice_pressure counters                                                                   (counters.csv)
//
// All memory lies in pages of 2 MiB. A stretch of 256 bytes has its home in one of 80 slices, numbered 16 * stack +
// slice of the stack as the hash gives them in page 0; a page's own numbers are turned by whole stacks, and each slice
// of a stack is XORed. Partition A is that of SM 0. Cycles are those of the SM; 1.98 GHz where a rate is derived.
//
// pages.csv         x, rotation and xor of each page; for the choice of x the standard deviation of an atomic's cycles
//                   among stretches of the same slice, for rotation and xor that of the slices' means against page 0
//                   (cycles), each for what was chosen and for the next best.
// partitions.csv    the partition of each SM and of each home slice.
// latencies.f32     [2][80 slices][132 SMs]: mean cycles of an atomic, which goes to the home slice, and of a load,
//                   stretches of page 0.
// capacity.csv      each SM reads its own random lines six times past L1: how many of the last three rounds' reads took
//                   0 to 23, 24 to 47, ... 1,512 and more cycles. `lines`: homes in the SM's partition, in the other
//                   one, or in both; `mib` of all SMs.
// rates.csv         loads of random words, each SM cycle, by the SMs of one partition or by all, `warps` an SM; the
//                   homes of their lines are `slices` slices, `first` and `second` if these are one or two; `misses`
//                   percent of the loads from 30,000 lines a slice, the others from a few that stay in L2.
// pressure.csv      the same loads, hits or misses, from `slices` near slices, by `warps` warps of each SM that
//                   `pressed_by` names, while one more warp of SM 0 measures one load at a time: cycles (mean, median,
//                   most) of lines in L2 in the first of these slices, in the last near slice, in a far slice, and of
//                   fresh lines in the first and in the last near slice. `us`: what these 320 loads took.
// runs.csv          time of each launch of the kernel with marks, with and without spies beside it.
// marks_U_S_P.u32   the last launch with unroll U, stride S, P = 1 with spies: [8192 warps][34]: SM, and %globaltimer
//                   at the start and after every 16 elements.
// spies_U_S.u16     [32 spies][48 sweeps][80 slices][2]: cycles of a line that L2 has and of one that it does not have.
// sweeps_U_S.u32    [32][48]: %globaltimer at the start of each sweep, 0 if there was none; then [32]: the spies' SMs.
//
// What is kept in tests/silicon/h100-sxm/slice_pressure/ is packed: latencies.npz in tenths of a cycle; marks.npz, of
// the launches with spies, `sm_U_S`, `start_U_S` and the `durations_U_S` of 16 elements in ticks of 128 ns; spies.npz,
// `sm_U_S`, `began_U_S` in nanoseconds since the first mark (-2^31 + 1: no sweep) and `cycles_U_S`; runs.csv of five
// processes.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>
#include <cuda_runtime.h>

constexpr int SMS = 132, SLICES = 80, PAGES = 416, SAMPLES = 1024;  // stretches of each page whose latency is measured
constexpr int LINES_OF_PAGE = (2 << 20) / 128, KERNEL_PAGES = 304, LISTED_PAGES = 300, FIRST_SPY_PAGE = 308;
constexpr int VICTIM = 0, MEASURED = 64, BINS = 64, BIN_CYCLES = 24;
constexpr int BLOCKS = 1024, WARPS = BLOCKS * 8, ELEMENTS = 512, MARKS = 34, SPIES = 32, SWEEPS = 48;
constexpr double GHZ = 1.98;

// Memory of the GPU for as long as the object lives.
template <class T>
struct Device {
    T* at = nullptr;
    size_t count;

    explicit Device(size_t count) : count(count) {
        if (cudaMalloc(&at, count * sizeof(T))) fprintf(stderr, "out of memory\n"), exit(1);
        clear();
    }
    explicit Device(const std::vector<T>& values) : Device(values.size()) {
        cudaMemcpy(at, values.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    }
    Device(const Device&) = delete;
    ~Device() { cudaFree(at); }
    void clear() { cudaMemset(at, 0, count * sizeof(T)); }
    std::vector<T> read() const {
        std::vector<T> values(count);
        const cudaError_t error = cudaMemcpy(values.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost);
        if (error) fprintf(stderr, "%s\n", cudaGetErrorString(error)), exit(1);
        return values;
    }
};

std::string folder;

FILE* create(const std::string& name) {
    FILE* file = fopen((folder + "/" + name).c_str(), "wb");
    if (!file) fprintf(stderr, "cannot write %s in %s\n", name.c_str(), folder.c_str()), exit(1);
    return file;
}

template <class T>
void save(const std::string& name, const std::vector<T>& values) {
    FILE* file = create(name);
    fwrite(values.data(), sizeof(T), values.size(), file);
    fclose(file);
}

__device__ long long now() {
    long long cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}

__device__ unsigned nanoseconds() {
    unsigned time;
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(time)::"memory");
    return time;
}

__device__ unsigned this_sm() {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

__device__ unsigned load_past_l1(const char* at) {
    unsigned value;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

__constant__ long long nothing = 0;

// Cycles until a load or an atomic is back. The first reading of the clock waits for the address, the request for this
// reading, and the second reading for the value: what is timed holds zeros.
template <bool ATOMIC = false>
__device__ unsigned timed(const char* at) {
    if (!at) __trap();
    const long long began = now();
    at += began & nothing;
    const unsigned value = ATOMIC ? atomicAdd((unsigned*)at, 0u) : load_past_l1(at);
    if (value) __trap();
    return (unsigned)min(now() - began, 0xFFFFFFFFll);
}

__device__ unsigned next_random(unsigned& state, unsigned loaded) {
    state = state * 1664525u + 1013904223u + loaded;
    unsigned hash = state ^ state >> 15;
    hash *= 0x2C1B3C6Du;
    return hash ^ hash >> 13;
}

// ---- Where lines lie

__host__ __device__ int sampled_stretch(int sample) { return sample * 8 + (sample * 2654435761u >> 13) % 8; }

// The least cycles of an atomic, or of a load, [page][SM][sample].
template <bool ATOMIC>
__global__ void latencies(const char* data, int pages, uint16_t* cycles) {
    const unsigned sm = this_sm();
    for (int page = 0; page < pages; ++page)
        for (int i = 0; i < SAMPLES; ++i) {
            const int sample = (i + sm * 7) % SAMPLES;
            const char* at = data + ((size_t)page << 21) + sampled_stretch(sample) * 256;
            unsigned least = 65535;
#pragma unroll 1
            for (int repeat = 0; repeat < 4; ++repeat) least = min(least, timed<ATOMIC>(at));
            cycles[((size_t)page * SMS + sm) * SAMPLES + sample] = least;
        }
}

int parity(unsigned offset, std::initializer_list<int> bits) {
    int odd = 0;
    for (int bit : bits) odd ^= offset >> bit & 1;
    return odd;
}

// The slice of a stretch as the hash has it from the offset in the page; the page's number gives x, and what follows.
int label(unsigned offset, int x) {
    x ^= parity(offset, {8, 12, 17, 19, 20}) | parity(offset, {10, 13, 17, 18}) << 1 |
         parity(offset, {11, 14, 17, 19, 20}) << 2;
    const int slice = parity(offset, {11, 12, 16, 19}) | parity(offset, {14, 18, 19}) << 1 |
                      parity(offset, {13, 14, 15, 18, 20}) << 2 | parity(offset, {11, 13, 17}) << 3;
    return (8 * (offset >> 17) + x) % 5 * 16 + slice;
}

int moved(int label, int rotation, int flip) { return (label / 16 + rotation) % 5 * 16 + (label % 16 ^ flip); }

struct Page {
    int x = 0, rotation = 0, flip = 0;
    double spread = 1e30, next_spread = 1e30, distance = 1e30, next_distance = 1e30;
};

std::vector<Page> pages(PAGES);

int slice_of(unsigned line) {
    const Page& page = pages[line / LINES_OF_PAGE];
    return moved(label(line % LINES_OF_PAGE * 128, page.x), page.rotation, page.flip);
}

// Means of the stretches of each label and SM, [80][132], and the standard deviation within them.
std::vector<double> label_means(const uint16_t* cycles, int x, double& spread) {
    std::vector<double> means(SLICES * SMS), count(SLICES);
    double squares = 0;
    for (int k = 0; k < SAMPLES; ++k) {
        const int slice = label(sampled_stretch(k) * 256, x);
        ++count[slice];
        for (int sm = 0; sm < SMS; ++sm) {
            const double value = std::min<int>(cycles[sm * SAMPLES + k], 1000);
            means[slice * SMS + sm] += value;
            squares += value * value;
        }
    }
    for (int slice = 0; slice < SLICES; ++slice)
        for (int sm = 0; sm < SMS; ++sm) {
            double& mean = means[slice * SMS + sm];
            mean /= count[slice];
            squares -= count[slice] * mean * mean;
        }
    spread = sqrt(squares / SAMPLES / SMS);
    return means;
}

// True if `value` is the least so far; keeps the least two.
bool is_least(double value, double& least, double& next) {
    const bool less = value < least;
    next = less ? least : std::min(next, value);
    if (less) least = value;
    return less;
}

std::vector<int> sm_partition(SMS), slice_partition(SLICES);  // 0: A

// Two groups of SMs and slices: what remains of the latencies without means of SMs and slices has one main component.
void find_partitions(const std::vector<double>& means) {
    std::vector<double> of_slice(SLICES), of_sm(SMS), rest(means), slices(SLICES), sms(SMS);
    double all = 0;
    for (int i = 0; i < SLICES * SMS; ++i) {
        of_slice[i / SMS] += means[i] / SMS;
        of_sm[i % SMS] += means[i] / SLICES;
        all += means[i] / SLICES / SMS;
    }
    for (int i = 0; i < SLICES * SMS; ++i) rest[i] += all - of_slice[i / SMS] - of_sm[i % SMS];
    sms[0] = 1;
    for (int round = 0; round < 50; ++round) {
        double square = 0;
        std::fill(slices.begin(), slices.end(), 0);
        for (int i = 0; i < SLICES * SMS; ++i) slices[i / SMS] += rest[i] * sms[i % SMS];
        std::fill(sms.begin(), sms.end(), 0);
        for (int i = 0; i < SLICES * SMS; ++i) sms[i % SMS] += rest[i] * slices[i / SMS];
        for (double value : sms) square += value * value;
        for (double& value : sms) value /= sqrt(square);
    }
    for (int sm = 0; sm < SMS; ++sm) sm_partition[sm] = sms[sm] * sms[0] < 0;
    for (int slice = 0; slice < SLICES; ++slice) slice_partition[slice] = slices[slice] * sms[0] > 0;
    FILE* file = create("partitions.csv");
    fprintf(file, "what,number,partition\n");
    for (int sm = 0; sm < SMS; ++sm) fprintf(file, "sm,%d,%c\n", sm, "AB"[sm_partition[sm]]);
    for (int slice = 0; slice < SLICES; ++slice) fprintf(file, "slice,%d,%c\n", slice, "AB"[slice_partition[slice]]);
    fclose(file);
}

void find_slices(const char* data) {
    Device<uint16_t> cycles((size_t)PAGES * SMS * SAMPLES), of_loads((size_t)SMS * SAMPLES);
    latencies<true><<<SMS, 1>>>(data, PAGES, cycles.at);
    latencies<false><<<SMS, 1>>>(data, 1, of_loads.at);
    const std::vector<uint16_t> measured = cycles.read();
    std::vector<double> reference;
    FILE* file = create("pages.csv");
    fprintf(file, "page,x,spread,next_spread,rotation,xor,distance,next_distance\n");
    for (int number = 0; number < PAGES; ++number) {
        Page& page = pages[number];
        std::vector<double> means;
        for (int x = 0; x < 8; ++x) {
            double spread;
            const std::vector<double> tried = label_means(&measured[(size_t)number * SMS * SAMPLES], x, spread);
            if (is_least(spread, page.spread, page.next_spread)) page.x = x, means = tried;
        }
        if (number == 0) reference = means;
        for (int rotation = 0; rotation < 5; ++rotation)
            for (int flip = 0; flip < 16; ++flip) {
                double squares = 0;
                for (int i = 0; i < SLICES * SMS; ++i) {
                    const double off = means[i] - reference[moved(i / SMS, rotation, flip) * SMS + i % SMS];
                    squares += off * off;
                }
                if (is_least(sqrt(squares / SLICES / SMS), page.distance, page.next_distance))
                    page.rotation = rotation, page.flip = flip;
            }
        fprintf(file, "%d,%d,%.1f,%.1f,%d,%d,%.1f,%.1f\n", number, page.x, page.spread, page.next_spread, page.rotation,
                page.flip, page.distance, page.next_distance);
    }
    fclose(file);
    double unused;
    const std::vector<double> loads = label_means(of_loads.read().data(), pages[0].x, unused);
    std::vector<float> both(reference.begin(), reference.end());
    both.insert(both.end(), loads.begin(), loads.end());
    save("latencies.f32", both);
    find_partitions(reference);
}

// ---- What L2 keeps

// One lane of each warp reads the SM's lines in turn.
__global__ void read_again(const char* data, const unsigned* lines, int lines_of_sm, const int* turn_of_sm,
                           unsigned* histogram) {
    __shared__ unsigned own[BINS];
    const int turn = turn_of_sm[this_sm()];
    if (turn < 0) return;
    if (threadIdx.x < BINS) own[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        for (int round = 0; round < 6; ++round)
            for (int i = threadIdx.x / 32; i < lines_of_sm; i += blockDim.x / 32) {
                const unsigned cycles = timed(data + (size_t)__ldg(lines + (size_t)turn * lines_of_sm + i) * 128);
                if (round >= 3) atomicAdd(own + min(cycles / BIN_CYCLES, BINS - 1u), 1);
            }
    __syncthreads();
    if (threadIdx.x < BINS) atomicAdd(histogram + threadIdx.x, own[threadIdx.x]);
}

void measure_capacity(const char* data, std::mt19937& random) {
    constexpr int A = 1, B = 2, NEAR = 1, FAR = 2, BOTH = 3;
    const char *sms_names[] = {"", "A", "B", "all"}, *lines_names[] = {"", "near", "far", "both"};
    const int tests[][2] = {{A, NEAR}, {A, FAR}, {A, BOTH}, {A | B, NEAR}, {A | B, FAR}, {A | B, BOTH}, {B, BOTH}};
    std::vector<unsigned> all(96 << 13);
    for (unsigned line = 0; line < all.size(); ++line) all[line] = line;
    std::shuffle(all.begin(), all.end(), random);
    FILE* file = create("capacity.csv");
    fprintf(file, "sms,lines,mib");
    for (int bin = 0; bin < BINS; ++bin) fprintf(file, ",from_%d", bin * BIN_CYCLES);
    fprintf(file, "\n");
    for (auto [who, where] : tests)
        for (int mib : {4, 8, 12, 16, 18, 20, 22, 24, 26, 28, 30, 32, 36, 40, 44, 48}) {
            if (who == A && where != BOTH && mib > 36) continue;
            std::vector<int> turns(SMS, -1), readers;
            for (int sm = 0; sm < SMS; ++sm)
                if (1 << sm_partition[sm] & who) turns[sm] = (int)readers.size(), readers.push_back(sm);
            const int count = (int)readers.size(), lines_of_sm = (mib << 13) / count;
            std::vector<std::vector<unsigned>> lines(count);
            int next[2] = {}, wanted = lines_of_sm * count;
            for (unsigned line : all) {  // to the next SM that wants a line of this partition
                const int home = slice_partition[slice_of(line)];
                for (int tries = 0; tries < count; ++tries) {
                    const int reader = next[home]++ % count;
                    const int distance = sm_partition[readers[reader]] == home ? NEAR : FAR;
                    if (distance & where && (int)lines[reader].size() < lines_of_sm) {
                        lines[reader].push_back(line);
                        --wanted;
                        break;
                    }
                }
                if (!wanted) break;
            }
            std::vector<unsigned> flat;
            for (const auto& some : lines) flat.insert(flat.end(), some.begin(), some.end());
            if (wanted) fprintf(stderr, "too few lines\n"), exit(1);
            Device<unsigned> list(flat), histogram(BINS);
            Device<int> turn_of_sm(turns);
            read_again<<<SMS, 1024>>>(data, list.at, lines_of_sm, turn_of_sm.at, histogram.at);
            fprintf(file, "%s,%s,%d", sms_names[who], lines_names[where], mib);
            for (unsigned reads : histogram.read()) fprintf(file, ",%u", reads);
            fprintf(file, "\n");
        }
    fclose(file);
}

// ---- How fast slices serve, and what a slice does that is asked for too much

std::vector<std::vector<unsigned>> lines_of_slices(int first_page, int end_page, std::mt19937& random) {
    std::vector<std::vector<unsigned>> lines(SLICES);
    for (unsigned line = first_page * LINES_OF_PAGE; line < (unsigned)end_page * LINES_OF_PAGE; ++line)
        lines[slice_of(line)].push_back(line);
    for (auto& some : lines) std::shuffle(some.begin(), some.end(), random);
    return lines;
}

__global__ void load_for(unsigned duration, const char* data, const unsigned* misses, unsigned miss_count,
                         const unsigned* hits, unsigned hit_count, unsigned miss_percent, const int* loads,
                         unsigned warps, unsigned long long* count) {
    if (!loads[this_sm()] || threadIdx.x / 32 >= warps) return;
    const unsigned began = nanoseconds();
    unsigned state = ((this_sm() * 32 + threadIdx.x / 32) * 32 + threadIdx.x % 32 + duration) * 2654435761u + 12345u;
    unsigned loaded = 0, done = 0;
    while (nanoseconds() - began < duration)
#pragma unroll 1
        for (int i = 0; i < 2; ++i, ++done) {
            const unsigned hash = next_random(state, loaded);
            const unsigned line =
                hash % 100 < miss_percent ? misses[(hash >> 8) % miss_count] : hits[(hash >> 8) % hit_count];
            loaded = load_past_l1(data + (size_t)line * 128);
        }
    atomicAdd(count, done + (unsigned long long)loaded);  // loaded: 0
}

void measure_rates(const char* data, const std::vector<std::vector<unsigned>>& lines, std::mt19937& random) {
    constexpr int A = 1, ALL = 3, MISSES = 30000;
    const char* names[] = {"", "A", "B", "all"};
    std::vector<int> near;
    for (int slice = 0; slice < SLICES; ++slice)
        if (slice_partition[slice] == 0) near.push_back(slice);
    FILE* file = create("rates.csv");
    fprintf(file, "slices,first,second,sms,warps,misses,loads_per_cycle\n");
    auto measure = [&](const std::vector<int>& slices, int who, int warps, int miss_percent) {
        std::vector<unsigned> misses, hits;
        for (int slice : slices) {
            const auto some = lines[slice].begin();
            misses.insert(misses.end(), some, some + MISSES);
            hits.insert(hits.end(), some + MISSES, some + MISSES + (slices.size() > 4 ? 64 : 400));
        }
        std::shuffle(misses.begin(), misses.end(), random);
        std::vector<int> loads;
        for (int partition : sm_partition) loads.push_back(1 << partition & who);
        Device<unsigned> some_misses(misses), some_hits(hits);
        Device<int> loads_of_sm(loads);
        unsigned long long counts[2];
        const unsigned durations[] = {150000, 350000};
        for (int k = 0; k < 2; ++k) {
            Device<unsigned long long> count(1);
            load_for<<<SMS, 1024>>>(durations[k], data, some_misses.at, (unsigned)misses.size(), some_hits.at,
                                    (unsigned)hits.size(), miss_percent, loads_of_sm.at, warps, count.at);
            counts[k] = count.read()[0];
        }
        const bool named = slices.size() <= 2;
        fprintf(file, "%zu,%d,%d,%s,%d,%d,%.4f\n", slices.size(), named ? slices[0] : -1, named ? slices.back() : -1,
                names[who], warps, miss_percent, (counts[1] - counts[0]) / GHZ / (durations[1] - durations[0]));
    };
    const int one = near[0], other = one ^ 8;
    for (int warps : {1, 2, 8})
        for (int who : {1, 2, 3}) {
            measure({one}, who, warps, 100);
            measure({other}, who, warps, 100);
            measure({one, other}, who, warps, 100);
        }
    for (int slice = 0; slice < SLICES; ++slice)
        if (slice != one && slice != other) measure({one, slice}, ALL, 2, 100);
    for (int count : {4, 8, 16, 40, 80})
        for (int who : {A, ALL})
            for (int warps : {2, 8, 31}) {
                std::vector<int> slices;
                for (int k = 0; k < count; ++k)
                    slices.push_back(count == 80 ? k : count == 40 ? near[k] : near[k * 5 % 40]);
                measure(slices, who, warps, 100);
            }
    std::vector<int> eight_pairs;
    for (int k = 0; k < 8; ++k)
        for (int slice : {k * 10 + (k & 1), (k * 10 + (k & 1)) ^ 8}) eight_pairs.push_back(slice);
    for (int miss_percent : {0, 5, 10, 20, 30, 50, 70, 100})
        for (int who : {A, ALL})
            for (const std::vector<int>& slices : {std::vector<int>{one}, {one, other}, eight_pairs})
                measure(slices, who, 8, miss_percent);
    fclose(file);
}

// Warps 1 to `warps` of the SMs that press load until warp 0 of the victim has measured its lists, one after the other.
__global__ void press(const char* data, const unsigned* lines, unsigned line_count, const int* presses, unsigned warps,
                      const unsigned* measured, int measured_count, unsigned* cycles, unsigned* time,
                      volatile int* over, unsigned long long* count) {
    const unsigned sm = this_sm(), warp = threadIdx.x / 32;
    if (sm == VICTIM && warp == 0) {
        if (threadIdx.x) return;
        const unsigned began = nanoseconds();
        while (nanoseconds() - began < 60000) {
        }
        const unsigned ready = nanoseconds();
        for (int i = 0; i < measured_count; ++i) cycles[i] = timed(data + (size_t)measured[i] * 128);
        time[0] = nanoseconds() - ready;
        time[1] = nanoseconds() - began;
        __threadfence();
        *over = 1;
        return;
    }
    if (!presses[sm] || warp == 0 || warp > warps) return;
    unsigned state = ((sm * 64 + warp) * 32 + threadIdx.x % 32) * 2654435761u + 12345u, loaded = 0;
    unsigned long long done = 0;
    while (!*over)
#pragma unroll 1
        for (int i = 0; i < 8; ++i, ++done)
            loaded = load_past_l1(data + (size_t)lines[(next_random(state, loaded) >> 6) % line_count] * 128);
    atomicAdd(count, done + loaded);
}

void measure_pressure(const char* data, const std::vector<std::vector<unsigned>>& lines, std::mt19937& random) {
    std::vector<int> near, far;
    for (int slice = 0; slice < SLICES; ++slice) (slice_partition[slice] ? far : near).push_back(slice);
    FILE* file = create("pressure.csv");
    fprintf(file, "loads,slices,pressed_by,warps,us,loads_per_cycle");
    for (const char* what : {"first", "last", "far", "fresh_first", "fresh_last"})
        fprintf(file, ",%s_mean,%s_median,%s_most", what, what, what);
    fprintf(file, "\n");
    const char* names[] = {"itself", "neighbour", "others", "all"};
    int fresh = 2;  // how many lines of a slice, from the last, have been used
    for (bool miss : {false, true})
        for (int slices : {1, 8, 40})
            for (int who = 0; who < 4; ++who)
                for (int warps : {1, 2, 3, 4, 6, 8, 12, 16, 31}) {
                    std::vector<int> presses;
                    for (int sm = 0; sm < SMS; ++sm)
                        presses.push_back(who == 0   ? sm == VICTIM
                                          : who == 1 ? sm == (VICTIM ^ 1)
                                                     : who == 3 || sm != VICTIM);
                    std::vector<unsigned> pressed, measured;
                    for (int k = 0; k < slices; ++k) {
                        const auto& some = lines[near[k]];
                        pressed.insert(pressed.end(), some.begin(), some.begin() + (miss ? 30000 : 64));
                    }
                    std::shuffle(pressed.begin(), pressed.end(), random);
                    auto from_last = [&](int slice, int k) { return lines[slice][lines[slice].size() - 1 - k]; };
                    for (int slice : {near[0], near.back(), far[7]})
                        for (int i = 0; i < MEASURED; ++i) measured.push_back(from_last(slice, i % 2));
                    for (int slice : {near[0], near.back()})
                        for (int i = 0; i < MEASURED; ++i) measured.push_back(from_last(slice, fresh + i));
                    fresh += MEASURED;
                    Device<unsigned> pressed_lines(pressed), measured_lines(measured), cycles(measured.size()), time(2);
                    Device<int> presses_of_sm(presses), over(1);
                    Device<unsigned long long> count(1);
                    press<<<SMS, 1024>>>(data, pressed_lines.at, (unsigned)pressed.size(), presses_of_sm.at, warps,
                                         measured_lines.at, (int)measured.size(), cycles.at, time.at, over.at,
                                         count.at);
                    std::vector<unsigned> took = cycles.read(), spans = time.read();
                    fprintf(file, "%s,%d,%s,%d,%.1f,%.4f", miss ? "misses" : "hits", slices, names[who], warps,
                            spans[0] / 1e3, count.read()[0] / GHZ / spans[1]);
                    for (auto list = took.begin(); list != took.end(); list += MEASURED) {
                        std::sort(list + 2, list + MEASURED);  // the first two fetch the lines that are hit after them
                        double sum = 0;
                        for (int i = 2; i < MEASURED; ++i) sum += list[i];
                        fprintf(file, ",%.0f,%u,%u", sum / (MEASURED - 2), list[(MEASURED + 2) / 2],
                                list[MEASURED - 1]);
                    }
                    fprintf(file, "\n");
                }
    fclose(file);
}

// ---- The kernel of `private_lines`, with marks, and spies beside it

template <int UNROLL>
__global__ void private_lines(const float* __restrict__ data, float* __restrict__ out, int stride, unsigned* marks) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const float* own = data + (size_t)thread * stride;
    unsigned* mark = marks + thread / 32 * MARKS;
    float sum = 0.0f;
    if (threadIdx.x % 32 == 0) {
        mark[0] = this_sm();
        mark[1] = nanoseconds();
    }
    for (int part = 0; part < ELEMENTS / 16; ++part) {
#pragma unroll UNROLL
        for (int i = 0; i < 16; ++i) {
            const float x = own[part * 16 + i], root = rsqrtf(x);
            sum += root;
            sum *= 0.99f;
            sum += x * 0.5f;
            sum -= x * 0.1f;
            sum *= 1.01f;
            sum += x * x * 0.01f;
            sum -= root * 0.5f;
            sum += 0.001f;
        }
        if (threadIdx.x % 32 == 0) mark[2 + part] = nanoseconds();
    }
    out[thread] = sum;
}

void launch(int unroll, int stride, const char* data, float* out, unsigned* marks, cudaStream_t stream = 0) {
    const auto kernel = unroll == 1 ? private_lines<1> : private_lines<2>;
    kernel<<<BLOCKS, 256, 0, stream>>>((const float*)data, out, stride, marks);
}

__global__ void spy(const char* data, const unsigned* lines_in_l2, const unsigned* fresh_lines, uint16_t* cycles,
                    unsigned* times, unsigned* sms, volatile int* over) {
    if (threadIdx.x) return;
    sms[blockIdx.x] = this_sm();
    for (int sweep = blockIdx.x * SWEEPS; sweep < (blockIdx.x + 1) * SWEEPS && !*over; ++sweep) {
        times[sweep] = nanoseconds();
        for (int slice = 0; slice < SLICES; ++slice) {
            const int i = sweep * SLICES + slice;
            const unsigned old = __ldg(lines_in_l2 + blockIdx.x * SLICES + slice), fresh = __ldg(fresh_lines + i);
            cycles[i * 2] = min(timed(data + (size_t)old * 128), 65535u);
            cycles[i * 2 + 1] = min(timed(data + (size_t)fresh * 128), 65535u);
        }
    }
}

void fill_with_numbers(char* data) {
    std::vector<float> numbers((size_t)KERNEL_PAGES << 19);
    std::mt19937 random(3);
    for (float& number : numbers) number = 0.5f + (random() >> 8) * (0.5f / (1 << 24));
    cudaMemcpy(data, numbers.data(), numbers.size() * sizeof(float), cudaMemcpyHostToDevice);
}

void watch_kernel(char* data, std::mt19937& random) {
    fill_with_numbers(data);
    const std::vector<std::vector<unsigned>> lines = lines_of_slices(FIRST_SPY_PAGE, PAGES, random);
    std::vector<unsigned> old, fresh;
    for (int k = 0; k < SPIES; ++k)
        for (const auto& some : lines) old.push_back(some[k]);
    for (int k = 0; k < SPIES * SWEEPS; ++k)
        for (const auto& some : lines) fresh.push_back(some[SPIES + k]);
    Device<unsigned> old_lines(old), fresh_lines(fresh), times(SPIES * SWEEPS), sms(SPIES), marks(WARPS * MARKS);
    Device<uint16_t> cycles((size_t)SPIES * SWEEPS * SLICES * 2);
    Device<float> out(WARPS * 32);
    Device<int> over(1);
    cudaStream_t of_kernel, of_spies, of_end;
    for (cudaStream_t* stream : {&of_kernel, &of_spies, &of_end})
        cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    FILE* file = create("runs.csv");
    fprintf(file, "unroll,stride,spies,us\n");
    const int forms[][2] = {{1, 512}, {1, 544}, {1, 576}, {1, 528}, {2, 512}};
    for (auto [unroll, stride] : forms)
        for (bool spied : {false, true}) {
            const std::string form = std::to_string(unroll) + "_" + std::to_string(stride);
            for (int run = 0; run < (spied ? 4 : 8); ++run) {
                over.clear(), times.clear(), cycles.clear();
                cudaDeviceSynchronize();
                cudaEventRecord(begin, of_kernel);
                launch(unroll, stride, data, out.at, marks.at, of_kernel);
                cudaEventRecord(end, of_kernel);
                if (spied)
                    spy<<<SPIES, 32, 0, of_spies>>>(data, old_lines.at, fresh_lines.at, cycles.at, times.at, sms.at,
                                                    over.at);
                cudaStreamSynchronize(of_kernel);
                const int one = 1;
                cudaMemcpyAsync(over.at, &one, sizeof one, cudaMemcpyHostToDevice, of_end);
                cudaDeviceSynchronize();
                float ms;
                cudaEventElapsedTime(&ms, begin, end);
                fprintf(file, "%d,%d,%d,%.1f\n", unroll, stride, spied, ms * 1e3);
            }
            save("marks_" + form + (spied ? "_1.u32" : "_0.u32"), marks.read());
            if (!spied) continue;
            save("spies_" + form + ".u16", cycles.read());
            std::vector<unsigned> sweeps = times.read(), where = sms.read();
            sweeps.insert(sweeps.end(), where.begin(), where.end());
            save("sweeps_" + form + ".u32", sweeps);
        }
    fclose(file);
}

// ---- What Nsight Compute counts

__global__ void random_words(const char* data, unsigned stretches, float* out) {
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345u, loaded = 0;
    for (int i = 0; i < 128; ++i) loaded = load_past_l1(data + (size_t)(next_random(state, loaded) % stretches) * 64);
    if (loaded) out[0] = 1;
}

void launch_for_counters(char* data) {
    Device<float> out(WARPS * 32);
    Device<unsigned> marks(WARPS * MARKS);
    for (int run = 0; run < 2; ++run) random_words<<<2 * SMS, 1024>>>(data, 400 << 15, out.at);
    fill_with_numbers(data);
    for (int stride : {512, 528, 544, 576}) launch(1, stride, data, out.at, marks.at);
    launch(2, 512, data, out.at, marks.at);
    cudaDeviceSynchronize();
}

int main(int argc, char** argv) {
    if (argc != 2) fprintf(stderr, "slice_pressure FOLDER | counters\n"), exit(1);
    folder = argv[1];
    Device<char> memory((size_t)(PAGES + 1) << 21);
    char* data = (char*)(((uintptr_t)memory.at + (2 << 20) - 1) >> 21 << 21);
    if (folder == "counters") {
        launch_for_counters(data);
    } else {
        std::mt19937 random(7);
        find_slices(data);
        measure_capacity(data, random);
        const std::vector<std::vector<unsigned>> lines = lines_of_slices(0, LISTED_PAGES, random);
        measure_rates(data, lines, random);
        measure_pressure(data, lines, random);
        watch_kernel(data, random);
    }
    const cudaError_t error = cudaGetLastError();
    if (error) fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
