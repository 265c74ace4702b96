// When the i-th of back-to-back memory instructions issues (`cadence.py` takes the compiler's stalls out): bursts of 0 to 32, each between two clocks, every warp in step
// and nothing in flight before. `trace` has, for each warp, the cycles of each burst; the first pass warms the caches.
// OP 0, 1: coalesced loads of 32, 128 bits a lane out of L1; 2: loads of 32 lines out of L1; 3: coalesced loads out of L2;
// 4, 5: coalesced stores of 32, 128 bits; 6: stores to 32 lines; 7, 8: shared loads without conflict and of 32 ways;
// 9: shared stores; 10: shuffles; 11: coalesced reductions; 12: MUFU.EX2; 13: POPC; 14: S2UR and S2R of what lanes share;
// 15: LDC. One load behind each burst: 16, 17, 18, 19: a shared one behind 14, 15, 5, 2; 20: one out of L1 behind 8.
#define LONGEST 32
#define BURST (OP == 16 ? 14 : OP == 17 ? 15 : OP == 18 ? 5 : OP == 19 ? 2 : OP == 20 ? 8 : OP)
#define HAS_SOURCES (BURST == 12 || BURST == 13 || BURST == 15)
__constant__ unsigned words[4 * LONGEST];

template <int K>
__device__ unsigned issue(unsigned* global, unsigned shared, unsigned value, unsigned* wide) {
    unsigned a = HAS_SOURCES ? wide[K] : 0;
#if BURST == 0
    asm volatile("ld.global.u32 %0, [%1 + %2];" : "=r"(a) : "l"(global), "n"(K * 128));
#elif BURST == 1
    unsigned b, c, d;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4 + %5];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(global), "n"(K * 512));
    wide[3 * K] = b, wide[3 * K + 1] = c, wide[3 * K + 2] = d;
#elif BURST == 2
    asm volatile("ld.global.u32 %0, [%1 + %2];" : "=r"(a) : "l"(global), "n"(K * 4));
#elif BURST == 3
    asm volatile("ld.global.cg.u32 %0, [%1 + %2];" : "=r"(a) : "l"(global), "n"(K * 128));
#elif BURST == 4
    asm volatile("st.global.u32 [%1 + %2], %0;" ::"r"(value), "l"(global), "n"(K * 128));
#elif BURST == 5
    asm volatile("st.global.v4.u32 [%4 + %5], {%0, %1, %2, %3};" ::"r"(value), "r"(value ^ 32), "r"(value ^ 64),
                 "r"(value ^ 96), "l"(global), "n"(K * 512));
#elif BURST == 6
    asm volatile("st.global.u32 [%1 + %2], %0;" ::"r"(value), "l"(global), "n"(K * 4));
#elif BURST == 7 || BURST == 8
    asm volatile("ld.shared.u32 %0, [%1 + %2];" : "=r"(a) : "r"(shared), "n"(K * 128));
#elif BURST == 9
    asm volatile("st.shared.u32 [%1 + %2], %0;" ::"r"(value), "r"(shared), "n"(K * 128));
#elif BURST == 10
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(a) : "r"(value), "n"(K % 31 + 1));
#elif BURST == 12
    asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+r"(a));
#elif BURST == 13
    asm volatile("popc.b32 %0, %0;" : "+r"(a));
#elif BURST == 14
    asm volatile("mov.u32 %0, %smid;" : "=r"(a));
#elif BURST == 15
    a = *reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(words) + a);
#else
    asm volatile("red.global.add.u32 [%1 + %2], %0;" ::"r"(value), "l"(global), "n"(K * 128));
#endif
    return a;
}

template <int K, int N>
struct Burst {
    static __device__ void issue_all(unsigned* global, unsigned shared, unsigned value, unsigned* results) {
        if constexpr (K < N) {
            results[K] = issue<K>(global, shared, value, results + N);
            Burst<K + 1, N>::issue_all(global, shared, value, results);
        }
    }
};

template <int N>
__device__ void measure(unsigned* global, unsigned shared, unsigned value, long long* mine, unsigned& sum) {
    unsigned results[4 * LONGEST] = {}, behind = 0;
    for (int k = 0; HAS_SOURCES && k < N; ++k) results[N + k] = BURST == 15 ? global[4 * k] : global[k];
    long long rest = clock64();
    while (clock64() - rest < 3000) {
    }
    __syncthreads();
    long long begin = clock64();
    Burst<0, N>::issue_all(global, shared, value, results);
#if OP >= 16 && OP <= 19
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(behind) : "r"(shared));
#elif OP == 20
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(behind) : "l"(global));
#endif
    long long cycles = clock64() - begin;
#pragma unroll
    for (int k = 0; k < (BURST == 1 ? 4 : 1) * N; ++k) sum ^= results[k];
    sum ^= behind;
    if (threadIdx.x % 32 == 0) mine[N] = cycles;
    if constexpr (N < LONGEST) measure<N + 1>(global, shared, value, mine, sum);
}

extern "C" __global__ void issue_cadence(unsigned* data, long long* trace, unsigned* sink) {
    __shared__ unsigned tile[8192];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) tile[i] = i;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;
    unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + lane * (BURST == 8 ? 128 : 4);
    unsigned* global = data + (BURST == 15 ? 0 : lane) * (BURST == 2 || BURST == 6 ? 32 : BURST == 1 || BURST == 5 ? 4 : 1);
    if (BURST == 3 || BURST == 4 || BURST == 5 || BURST == 6 || BURST == 11) global += warp * 4096;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) measure<0>(global, shared, lane, trace + warp * (LONGEST + 1), sum);
    sink[threadIdx.x] = sum;
}
