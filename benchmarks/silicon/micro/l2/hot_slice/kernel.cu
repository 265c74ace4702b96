// All blocks read 132 MiB together, in 16 bytes a lane, of an array that L2 holds or of one that it does not; then the first
// thread of each 0: does nothing more, 1: adds an integer to a word, 2: adds a float, 3: stores, 4: adds and waits for what was
// there. All aim at one word, or at 32 that lie 4 KiB apart, by turns.
constexpr unsigned EACH = 33792 / BLOCKS, ITEMS = MEGABYTES * 65536u;

extern "C" __global__ void __launch_bounds__(256) hot_slice(const float4* __restrict__ data, int* hot) {
    float sum = 0;
#pragma unroll
    for (unsigned i = 0; i < EACH; ++i) {
        const float4 v = data[(blockIdx.x * EACH * 256u + i * 256u + threadIdx.x) % ITEMS];
        sum += v.x + v.y + v.z + v.w;
    }
    if (__syncthreads_or(sum != 0)) hot[0] = 2;
    if (threadIdx.x == 0) {
        int* word = hot + blockIdx.x % WORDS * 1024;
#if OPERATION == 1
        atomicAdd(word, 1);
#elif OPERATION == 2
        atomicAdd((float*)word, 1.0f);
#elif OPERATION == 3
        *(volatile int*)word = 1;
#elif OPERATION == 4
        if (atomicAdd(word, 1) < 0) hot[0] = 3;
#endif
    }
}
