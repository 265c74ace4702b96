// Loads of BYTES a lane that hit L1, by where the lanes lie in a table of 64 KiB: what of that decides how often the data
// stage reads its banks. A shape is a rule (below), and its draws differ in random numbers. Eight warps load the same
// places, each eight times in a row; `trace_cycles` has the cycles from the first load to the last of each shape and draw. `step` is 0,
// which the compiler does not know.
constexpr int SHAPES = COUNTED ? 1 : 16, DRAWS = COUNTED ? 1 : 32, PASSES = COUNTED ? 8 : 2;

__device__ unsigned mixed(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// The byte at which a lane loads.
__device__ unsigned place(unsigned shape, unsigned draw, unsigned lane) {
    const unsigned seed = (shape * 64 + draw) * 64, own = mixed(seed + lane), all = mixed(seed + 63);
    auto drawn = [&](unsigned which) { return mixed(seed + 32 + which); };
    unsigned at = 0;
    switch (shape) {
    case 0: at = own; break;                                                      // anywhere
    case 1: at = mixed(seed + lane / 2) / (2 * BYTES) * (2 * BYTES) + lane % 2 * BYTES; break;
    case 2: at = mixed(seed + lane / 4) / (4 * BYTES) * (4 * BYTES) + lane % 4 * BYTES; break;
    case 3: at = mixed(seed + lane / 8) / (8 * BYTES) * (8 * BYTES) + lane % 8 * BYTES; break;
    case 4: at = mixed(seed + lane / 16) / (16 * BYTES) * (16 * BYTES) + lane % 16 * BYTES; break;
    case 5: at = mixed(seed + lane / 4) / 128 * 128 + lane % 4 * BYTES; break;     // groups at the beginning of lines
    case 6: at = mixed(seed + lane / 2); break;                                   // two lanes at one place
    case 7: at = mixed(seed + lane / 4); break;
    case 8: at = drawn(own % 2) / 128 * 128 + own / 2 % 128; break;                // anywhere in two lines
    case 9: at = drawn(own % 4) / 128 * 128 + own / 4 % 128; break;
    case 10: at = drawn(own % 8) / 128 * 128 + own / 8 % 128; break;
    case 11: at = own / 128 * 128; break;                                         // a column: one bank
    case 12: at = own / 128 * 128 + lane % 2 * 64; break;
    case 13: at = own / 128 * 128 + lane % 8 * 16; break;
    case 14: at = all % 32768 + lane / 8 * (all / 32768 % 64 * 32) + lane % 8 * BYTES; break;  // rows of eight
    default: at = all / BYTES * BYTES + lane * BYTES; break;                      // one row, not at a line
    }
    return at % 65536 / BYTES * BYTES;
}

__device__ __forceinline__ unsigned load(const unsigned char* at) {
    unsigned x = 0, y = 0, z = 0, w = 0;
#if BYTES == 1
    asm volatile("ld.global.ca.u8 %0, [%1];" : "=r"(x) : "l"(at));
#elif BYTES == 2
    asm volatile("ld.global.ca.u16 %0, [%1];" : "=r"(x) : "l"(at));
#elif BYTES == 4
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(at));
#elif BYTES == 8
    asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(at));
#else
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(at));
#endif
    return x ^ y ^ z ^ w;
}

extern "C" __global__ void load_wavefronts(const unsigned char* __restrict__ table, long long* __restrict__ trace_cycles,
                                           unsigned* __restrict__ sink, int step) {
    const unsigned lane = threadIdx.x % 32;
    __shared__ long long begins[8], ends[8];
    unsigned sum = 0;
    for (int i = threadIdx.x * 128; i < 65536; i += blockDim.x * 128) sum += load(table + i);
    for (int shape = FIRST_SHAPE; shape < FIRST_SHAPE + SHAPES; ++shape)
        for (int draw = 0; draw < DRAWS; ++draw) {
            const unsigned char* at = table + place(shape, draw, lane);
#pragma unroll 1
            for (int pass = 0; pass < PASSES; ++pass) {
                __syncthreads();
                const long long begin = clock64();
#pragma unroll
                for (int k = 0; k < 8; ++k) sum ^= load(at + k * step);
                const long long end = clock64() + (sum == 123456789u);
                if (lane == 0) {
                    begins[threadIdx.x / 32] = begin;
                    ends[threadIdx.x / 32] = end;
                }
                __syncthreads();
            }
            if (threadIdx.x == 0) {
                long long first = begins[0], last = ends[0];
                for (int warp = 1; warp < 8; ++warp) {
                    first = min(first, begins[warp]);
                    last = max(last, ends[warp]);
                }
                trace_cycles[(shape - FIRST_SHAPE) * DRAWS + draw] = last - first;
            }
            __syncthreads();
        }
    sink[threadIdx.x] = sum;
}
