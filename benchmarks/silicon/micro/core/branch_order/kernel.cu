// The SM clock at which each thread begins its side of a divergent branch (KIND 0, 1: nested) or its case of a jump
// through a table (2), by a random number a thread; a warp a block.
#define BEGIN asm volatile("mov.u64 %0, %%clock64;" : "=l"(began)::"memory");

extern "C" __global__ void branch_order(const int* __restrict__ drawn, long long* trace, float* __restrict__ sink) {
    int i = blockIdx.x * 32 + threadIdx.x, v = drawn[i];
    long long began = 0;
    float x = threadIdx.x;
#if KIND == 0
    if (v < LIMIT) { BEGIN x = rsqrtf(x); sink[0] = x; for (int k = 0; k < v; ++k) x = x * x + 1; }
    else { BEGIN x = __expf(x); sink[1] = x; for (int k = 0; k < v; ++k) x = x * x - 1; }
#elif KIND == 1
    if (v & 2) { if (v & 1) { BEGIN sink[0] = x; x *= 3; } else { BEGIN sink[1] = x; x = rsqrtf(x); } }
    else       { if (v & 1) { BEGIN sink[2] = x; x += 7; } else { BEGIN sink[3] = x; x = __expf(x); } }
#else
    switch (v & 7) {
        case 0: BEGIN x = x * x; break;
        case 1: BEGIN x = x + 1; sink[0] = 5; break;
        case 2: BEGIN x = rsqrtf(x); break;
        case 3: BEGIN x = __sinf(x); break;
        case 4: BEGIN x = __expf(x); break;
        case 5: BEGIN x = 1.0f / x; break;
        case 6: BEGIN x = x - 7; sink[1] = 6; break;
        case 7: BEGIN x = floorf(x); break;
    }
#endif
    trace[i] = began;
    sink[32 + i] = x;
}
