// Blocks wait for WAIT cycles, and each thread stores a word: not at all, before that, or behind it. How much later does the next
// launch begin?
extern "C" __global__ void __launch_bounds__(256) last_stores(float* out, int never) {
    float* to = out + blockIdx.x * 256 + threadIdx.x;
    if (STORES == 1) *to = 1.0f;
    unsigned start, now;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(start));
    do asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
    while (now - start < WAIT);
    if (STORES == 2 || never) *to = 2.0f;
}
