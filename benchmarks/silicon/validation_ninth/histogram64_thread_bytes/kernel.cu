// A thread counts 4 WORDS bytes below 64 in its own counters, which the block then adds up.
constexpr int LD = TOGETHER ? 68 : THREADS;

extern "C" __global__ void __launch_bounds__(THREADS)
histogram64_thread_bytes(const unsigned* __restrict__ x, unsigned* __restrict__ bins)
{
    __shared__ uint4 space[(TOGETHER ? 68 * THREADS : 64 * THREADS) / 16];
    unsigned char* count = reinterpret_cast<unsigned char*>(space);
    const int t = threadIdx.x;
    for (int i = t; i < (TOGETHER ? 68 * THREADS : 64 * THREADS) / 16; i += THREADS) space[i] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    auto add = [&](unsigned w) {
#pragma unroll
        for (int b = 0; b < 4; ++b) {
            const int bin = w >> 8 * b & 63;
            ++count[TOGETHER ? t * LD + bin : bin * LD + t];
        }
    };
    const int base = blockIdx.x * THREADS * WORDS;
    if (VEC == 4) {
        const uint4* from = reinterpret_cast<const uint4*>(x + base);
        uint4 v[WORDS / 4];
#pragma unroll
        for (int i = 0; i < WORDS / 4; ++i) v[i] = from[i * THREADS + t];
#pragma unroll
        for (int i = 0; i < WORDS / 4; ++i) {
            add(v[i].x);
            add(v[i].y);
            add(v[i].z);
            add(v[i].w);
        }
    } else {
#pragma unroll 8
        for (int i = 0; i < WORDS; ++i) add(x[base + i * THREADS + t]);
    }
    __syncthreads();
    if (t < 64) {
        unsigned sum = 0;
        if (TOGETHER) {
#pragma unroll 8
            for (int i = 0; i < THREADS; ++i) sum += count[i * LD + t];
        } else {
#pragma unroll 4
            for (int i = 0; i < THREADS / 4; ++i) {  // each bin starts elsewhere, so that words lie in several banks
                const unsigned w = reinterpret_cast<const unsigned*>(count + t * LD)[(i + t) % (THREADS / 4)];
                sum += (w & 255) + (w >> 8 & 255) + (w >> 16 & 255) + (w >> 24);
            }
        }
        atomicAdd(bins + t, sum);
    }
}
