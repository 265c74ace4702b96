// Where the warps of an SM are in a loop body of LENGTH FMAs, 16 bytes of code each: `trace` has the clock of each warp
// at the beginning of each of 32 rounds, and EVERY instructions later each time within the last of them.
#define ROUNDS 32
#define EVERY 256

extern "C" __global__ void drifting_warps(float* __restrict__ out, float a, float b, int rounds, long long* trace) {
    constexpr int length = LENGTH / 4;
    long long* mine = trace + threadIdx.x / 32 * (ROUNDS + 64);
    float w = threadIdx.x, x = w + 1.0f, y = w + 2.0f, z = w + 3.0f;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        if (threadIdx.x % 32 == 0) mine[r] = clock64();
#pragma unroll
        for (int k = 0; k < length; ++k) {
            if (k % (EVERY / 4) == 0 && r == rounds - 1 && threadIdx.x % 32 == 0 && k / (EVERY / 4) < 64)
                mine[ROUNDS + k / (EVERY / 4)] = clock64();
            w = w * a + b;
            x = x * a + b;
            y = y * a + b;
            z = z * a + b;
        }
    }
    out[threadIdx.x] = w + x + y + z;
}
