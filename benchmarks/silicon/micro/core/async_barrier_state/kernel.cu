// What the words of an asynchronous barrier (mbarrier) are after each operation, and which states its lanes get. PART 2 ends with more
// arrivals than are expected.
typedef unsigned long long u64;

struct Trace {
    u64* at;
    volatile u64* barrier;
    __device__ void word() {
        __syncwarp();
        if (threadIdx.x == 0) *at = *barrier;
        ++at;
        __syncwarp();
    }
    __device__ void states(u64 state) {
        at[threadIdx.x] = state;
        at += 32;
    }
};

#define INIT(count) \
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(count) : "memory"); \
    trace.word()
#define STATE(text, lanes) \
    state = 0; \
    if (lanes) asm volatile(text : "=l"(state) : "r"(at) : "memory"); \
    trace.states(state); \
    trace.word()
#define DONE(text, lanes) \
    if (lanes) asm volatile(text ::"r"(at) : "memory"); \
    trace.word()

extern "C" __global__ void async_barrier_state(u64* __restrict__ trace_words) {
    __shared__ alignas(8) u64 barrier;
    const unsigned at = unsigned(__cvta_generic_to_shared(&barrier));
    const unsigned lane = threadIdx.x;
    Trace trace{trace_words, &barrier};
    u64 state;
    INIT(40);                                                                           // 0
    STATE("mbarrier.arrive.shared.b64 %0, [%1];", lane == 3);                           // 1, 33
    STATE("mbarrier.arrive.shared.b64 %0, [%1];", true);                                // 34, 66
    STATE("mbarrier.arrive.shared.b64 %0, [%1];", lane >= 25);                          // 67, 99: completes
    STATE("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 2;", lane < 4);              // 100, 132
    STATE("mbarrier.arrive_drop.shared.b64 %0, [%1];", lane < 2);                       // 133, 165
    STATE("mbarrier.arrive.shared.b64 %0, [%1], 5;", lane < 2);                         // 166, 198
#if PART == 1
    INIT(2);                                                                            // 199
    STATE("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], 100;", lane == 0);            // 200, 232
    DONE("mbarrier.expect_tx.relaxed.cta.shared.b64 [%0], 3;", lane == 0);              // 233
    DONE("mbarrier.complete_tx.relaxed.cta.shared.b64 [%0], 50;", lane < 2);            // 234
    STATE("mbarrier.arrive.shared.b64 %0, [%1];", lane == 0);                           // 235, 267: waits for transactions
    DONE("mbarrier.complete_tx.relaxed.cta.shared.b64 [%0], 3;", lane == 0);            // 268: completes
    DONE("cp.async.mbarrier.arrive.shared.b64 [%0];", lane == 0);                       // 269
    DONE("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];", lane == 0);                 // 270
    DONE("mbarrier.inval.shared.b64 [%0];", lane == 0);                                 // 271
#elif PART == 2
    INIT(16);                                                                           // 199
    STATE("mbarrier.arrive.shared.b64 %0, [%1];", true);                                // more than are expected
#endif
}
