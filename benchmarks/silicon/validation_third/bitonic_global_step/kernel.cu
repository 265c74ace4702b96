// One to three steps of a bitonic merge over keys in memory: a thread holds the 2^STEPS keys that the steps of
// distances 2^LOG_DISTANCE and below compare, with their values or without.
constexpr int HELD = 1 << STEPS, LOW = LOG_DISTANCE - STEPS + 1;   // LOW: the smallest distance's logarithm

extern "C" __global__ void bitonic_global_step(int* __restrict__ keys, int* __restrict__ values, int log_stretch)
{
    const unsigned t = blockIdx.x * THREADS + threadIdx.x;
    const unsigned first = ((t >> LOW) << (LOW + STEPS)) | (t & ((1u << LOW) - 1));
    const bool up = ((first >> log_stretch) & 1) == 0;
    int k[HELD], v[HELD];
#pragma unroll
    for (int i = 0; i < HELD; ++i) {
        k[i] = keys[first + (i << LOW)];
        if (PAIRS) v[i] = values[first + (i << LOW)];
    }
#pragma unroll
    for (int d = HELD / 2; d > 0; d >>= 1)
#pragma unroll
        for (int i = 0; i < HELD; ++i)
            if ((i & d) == 0 && (k[i] > k[i + d]) == up) {
                const int a = k[i];
                k[i] = k[i + d];
                k[i + d] = a;
                if (PAIRS) {
                    const int b = v[i];
                    v[i] = v[i + d];
                    v[i + d] = b;
                }
            }
#pragma unroll
    for (int i = 0; i < HELD; ++i) {
        keys[first + (i << LOW)] = k[i];
        if (PAIRS) values[first + (i << LOW)] = v[i];
    }
}
