// Cycles of a dependent constant load with an address in a register, over WORDS words; SPREAD lanes differ.
__constant__ unsigned table[16384];

extern "C" __global__ void constant_latency(long long* __restrict__ cycles, unsigned* __restrict__ sink, unsigned jump,
                                            int steps) {
    unsigned at = SPREAD ? threadIdx.x % SPREAD * 16 : 0;
    long long first = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        first = clock64();
#pragma unroll 4
        for (int s = 0; s < steps; ++s) at = (table[at] + at + jump) & (WORDS - 1);
    }
    cycles[blockIdx.x * blockDim.x + threadIdx.x] = clock64() - first;
    sink[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
