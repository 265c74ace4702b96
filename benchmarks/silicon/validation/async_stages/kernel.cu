// Copies a stretch a block through shared memory: cp.async of WIDTH bytes a thread, STAGES in flight.
// Each thread waits for its own bytes only; the values are scaled on the way.
template <int> struct Words { using Of = float4; };
template <> struct Words<4> { using Of = float; };
using Word = Words<WIDTH>::Of;
__device__ float scale(float v) { return v * 0.5f; }
__device__ float4 scale(float4 v) { return make_float4(v.x * 0.5f, v.y * 0.5f, v.z * 0.5f, v.w * 0.5f); }

extern "C" __global__ void async_stages(const Word* __restrict__ input, Word* __restrict__ output, int tiles) {
    __shared__ Word ring[STAGES][BLOCK_SIZE];
    size_t base = (size_t)blockIdx.x * tiles * BLOCK_SIZE + threadIdx.x;
    auto fetch = [&](int tile) {
        if (tile < tiles) {
            unsigned to = (unsigned)__cvta_generic_to_shared(&ring[tile % STAGES][threadIdx.x]);
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to),
                         "l"(input + base + (size_t)tile * BLOCK_SIZE), "n"(WIDTH)
                         : "memory");
        }
        asm volatile("cp.async.commit_group;");
    };
    for (int s = 0; s < STAGES - 1; ++s) fetch(s);
    for (int t = 0; t < tiles; ++t) {
        fetch(t + STAGES - 1);
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
        output[base + (size_t)t * BLOCK_SIZE] = scale(ring[t % STAGES][threadIdx.x]);
    }
}
