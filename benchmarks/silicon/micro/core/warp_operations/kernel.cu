// Cycles of chains of operations across a warp's lanes, CHAINS independent ones a thread: match.any with 1, 4 or 32 distinct
// values (OP 0, 1, 2), match.all (3), redux.add (4), redux.max (5), ballot (6), shuffle by index (7), any (8), syncwarp (9).
extern "C" __global__ void warp_operations(long long* __restrict__ cycles, unsigned* __restrict__ sink, int steps) {
    unsigned x[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) x[c] = OP == 0 ? c : OP == 1 ? threadIdx.x % 4 + c : threadIdx.x + c;
    long long first = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        first = clock64();
#pragma unroll 1
        for (int s = 0; s < steps; ++s) {
#pragma unroll
            for (int k = 0; k < 4; ++k)
#pragma unroll
                for (int c = 0; c < CHAINS; ++c) {
#if OP <= 2
                    unsigned group;
                    asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(group) : "r"(x[c]));
                    x[c] = x[c] & 31 | (group & 0x100);
#elif OP == 3
                    asm volatile("match.all.sync.b32 %0, %0, 0xffffffff;" : "+r"(x[c]));
#elif OP == 4
                    asm volatile("redux.sync.add.u32 %0, %0, 0xffffffff;" : "+r"(x[c]));
#elif OP == 5
                    asm volatile("redux.sync.max.u32 %0, %0, 0xffffffff;" : "+r"(x[c]));
#elif OP == 6
                    x[c] = __ballot_sync(0xffffffffu, x[c] & 1 << k) + threadIdx.x;
#elif OP == 7
                    asm volatile("shfl.sync.idx.b32 %0, %0, %0, 31, 0xffffffff;" : "+r"(x[c]));
#elif OP == 8
                    if (__any_sync(0xffffffffu, x[c] == 77u)) x[c] += k;
                    x[c] ^= 5;
#else
                    x[c] = x[c] * 3 + 1;
                    __syncwarp();
#endif
                }
        }
    }
    cycles[threadIdx.x] = clock64() - first;
    unsigned sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) sum ^= x[c];
    sink[threadIdx.x] = sum;
}
