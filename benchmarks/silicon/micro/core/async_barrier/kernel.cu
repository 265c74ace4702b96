// Cycles of asynchronous barriers (mbarrier) in shared memory. Chains of one operation: arrive (KIND 0), arrive without
// its state (1), test_wait and try_wait of a phase that is over (2, 3). A block's rounds of arrive and try_wait (4) or
// test_wait (5). One try_wait for a phase that never ends (6). Asynchronous copies that arrive at a barrier (7), or are
// waited for by cp.async.wait_all (8). Two warps that hand a turn to each other (9). A wait for a warp that counts
// 20,000 cycles first (10: try_wait, 11: test_wait, 12: __syncthreads).
typedef unsigned long long u64;

__device__ void arrive(unsigned barrier) {
    asm volatile("{.reg .b64 state; mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(barrier) : "memory");
}

__device__ unsigned arrive_for_state(unsigned barrier) {
    u64 state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(barrier) : "memory");
    return unsigned(state >> 32);
}

#define WAIT(name, operation)                                                                                    \
    __device__ unsigned name(unsigned barrier, unsigned parity) {                                                \
        unsigned over;                                                                                           \
        asm volatile("{.reg .pred p; mbarrier." operation ".parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" \
                     : "=r"(over) : "r"(barrier), "r"(parity) : "memory");                                       \
        return over;                                                                                             \
    }
WAIT(test_wait, "test_wait")
WAIT(try_wait, "try_wait")

__device__ void init(unsigned barrier, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

extern "C" __global__ void async_barrier(long long* __restrict__ cycles, unsigned* __restrict__ sink,
                                         const unsigned* __restrict__ data, int steps, unsigned zero) {
    __shared__ alignas(8) u64 barriers[2];
    __shared__ unsigned copy[BLOCK_SIZE];
    const unsigned first = unsigned(__cvta_generic_to_shared(barriers)), second = first + 8;
    const unsigned own = unsigned(__cvta_generic_to_shared(copy + threadIdx.x));
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        init(first, KIND < 2 ? 1000000 : KIND == 6 ? 1 : KIND == 9 ? 32 : BLOCK_SIZE);
        init(second, KIND == 9 ? 32 : BLOCK_SIZE);
    }
    __syncthreads();
    long long since = 0;
    unsigned sum = 0, phase = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        since = clock64();
#pragma unroll 1
        for (int s = 0; s < steps; ++s) {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
#if KIND == 0
                sum = arrive_for_state(first + (sum & zero));
#elif KIND == 1
                arrive(first);
#elif KIND == 2
                sum = test_wait(first + (sum & zero), 1);
#elif KIND == 3
                sum = try_wait(first + (sum & zero), 1);
#elif KIND == 4 || KIND == 5
                arrive(first);
                while (!(KIND == 4 ? try_wait(first, phase) : test_wait(first, phase))) {}
                phase ^= 1;
#elif KIND == 6
                if (pass == 1 && s == 0 && k == 0) sum += try_wait(first, 0);
#elif KIND == 7
                asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(own), "l"(data + threadIdx.x) : "memory");
                asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(first) : "memory");
                while (!try_wait(first, phase)) {}
                phase ^= 1;
#elif KIND == 8
                asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(own), "l"(data + threadIdx.x) : "memory");
                asm volatile("cp.async.wait_all;" ::: "memory");
#elif KIND == 9
                if (warp == 0) {
                    arrive(first);
                    while (!try_wait(second, phase)) {}
                } else if (warp == 1) {
                    while (!try_wait(first, phase)) {}
                    arrive(second);
                }
                phase ^= 1;
#else
                if (s == 0 && k == 0) {
                    const long long begin = clock64();
                    if (warp == 0) while (clock64() - begin < 20000) {}
                    if (KIND == 12) __syncthreads();
                    else arrive(first);
                    if (KIND == 10) while (!try_wait(first, phase)) {}
                    if (KIND == 11) while (!test_wait(first, phase)) {}
                    phase ^= 1;
                }
#endif
            }
        }
    }
    cycles[threadIdx.x] = clock64() - since;
    sink[threadIdx.x] = sum + copy[threadIdx.x] * zero;
}
