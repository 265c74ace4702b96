// Tiles copied to shared memory by cp.async of BYTES a lane, past L1 (CACHED 0) or through it: rows of ROW bytes, one KiB
// apart in global memory, ROW + PAD bytes apart in shared memory; SWIZZLED exchanges the 16-byte parts of a row instead.
// The tile begins OFFSET bytes behind a line. FRESH copies the next columns in each round, else all rounds copy the same.
extern "C" __global__ void __launch_bounds__(256) copy_layouts(const unsigned char* __restrict__ data, float* out, int rounds) {
    constexpr int ROWS = 8192 / ROW, LANES = ROW / BYTES, EACH = 8192 / BYTES / 256, COLUMNS = 1024 / ROW, PITCH = ROW + PAD;
    extern __shared__ __align__(128) unsigned char tile[];
    const unsigned char* from = data + (size_t)blockIdx.x * ROWS * 1024;
    for (int round = 0; round < rounds; ++round) {
        const int column = FRESH ? round % COLUMNS * ROW : 0;
        unsigned to = (unsigned)__cvta_generic_to_shared(tile + OFFSET + round % 2 * ROWS * PITCH);
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            const int at = i * 256 + threadIdx.x, row = at / LANES;
            int byte = at % LANES * BYTES;
            const unsigned char* source = from + row * 1024 + column + byte;
            if (SWIZZLED) byte ^= (row * ROW / 128 % (ROW / 16)) * 16;
            const unsigned target = to + row * PITCH + byte;
#if CACHED
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(target), "l"(source), "n"(BYTES));
#else
            asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" ::"r"(target), "l"(source), "n"(BYTES));
#endif
        }
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group 1;");
        __syncthreads();
    }
    asm volatile("cp.async.wait_group 0;");
    __syncthreads();
    if (tile[threadIdx.x] == 77) out[0] = 1;
}
