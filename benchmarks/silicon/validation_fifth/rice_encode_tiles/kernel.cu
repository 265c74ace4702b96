// A symbol is its upper bits in unary, a zero and four bits; 4,096 symbols a block, of which a step packs a part.
constexpr int LENGTH = 4096, TILE = THREADS * ITEMS, WARPS = THREADS / 32, WORDS = LENGTH / 4;

struct alignas(ITEMS) Pack { unsigned char v[ITEMS]; };

__device__ uint2 code(unsigned s)  // bits, least first, and their number
{
    const unsigned q = s >> 4;
    return make_uint2((1u << q) - 1 | (s & 15) << q + 1, q + 5);
}

extern "C" __global__ void __launch_bounds__(THREADS)
rice_encode_tiles(const Pack* __restrict__ symbols, unsigned* __restrict__ codes, int* __restrict__ lengths)
{
    __shared__ unsigned words[WORDS + 1], sums[2][WARPS];
#if TABLE
    __shared__ uint2 all[64];
#endif
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    for (int i = t; i < WORDS; i += THREADS) words[i] = 0;
#if TABLE
    if (t < 64) all[t] = code(t);
#endif
    __syncthreads();
    unsigned begin = 0;
#pragma unroll 1
    for (int step = 0; step < LENGTH / TILE; ++step) {
        const Pack p = symbols[(blockIdx.x * (LENGTH / TILE) + step) * THREADS + t];
        uint2 c[ITEMS];
        unsigned own = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
#if TABLE
            c[i] = all[p.v[i]];
#else
            c[i] = code(p.v[i]);
#endif
            own += c[i].y;
        }
        unsigned running = own;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const unsigned other = __shfl_up_sync(0xffffffff, running, d);
            if (lane >= d) running += other;
        }
        if (lane == 31) sums[step % 2][warp] = running;
        __syncthreads();
        unsigned at = begin + running - own;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            const unsigned sum = sums[step % 2][w];
            if (w < warp) at += sum;
            begin += sum;
        }
        unsigned word = at / 32, used = at % 32;
        unsigned long long bits = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            bits |= (unsigned long long)c[i].x << used;
            used += c[i].y;
            if (used >= 32) {
                atomicOr(words + word++, (unsigned)bits);
                bits >>= 32;
                used -= 32;
            }
        }
        if (used) atomicOr(words + word, (unsigned)bits);
    }
    __syncthreads();
    for (int i = t; i < WORDS; i += THREADS) codes[blockIdx.x * WORDS + i] = words[i];
    if (t == 0) lengths[blockIdx.x] = begin;
}
