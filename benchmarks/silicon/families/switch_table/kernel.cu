// A switch of sixteen cases by data (an indirect branch, BRX), uniform in the warp or divergent.
extern "C" __global__ void switch_table(const int* __restrict__ codes, float* __restrict__ out, int n, int steps) {
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    float x = threadIdx.x;
    for (int s = 0; s < steps; ++s) {
#if DIVERGENT
        int code = codes[(s * 32 + i) % n];
#else
        int code = codes[s];
#endif
        switch (code) {
            case 0: x += 1.0f; break;
            case 1: x = x * 0.5f - 2.0f; break;
            case 2: x = sqrtf(fabsf(x)); break;
            case 3: x = fmaxf(x, 3.0f) * 0.25f; break;
            case 4: x = __int_as_float(__float_as_int(x) ^ 0x400); break;
            case 5: x = x * x * 1e-3f; break;
            case 6: x = floorf(x) + 0.5f; break;
            case 7: x = 1.0f / (1.0f + x * x); break;
            case 8: x = __expf(-fabsf(x)); break;
            case 9: x = __sinf(x) * 4.0f; break;
            case 10: x = x > 1.0f ? x - 1.0f : x + 7.0f; break;
            case 11: x = (float)(int)(x * 3.0f); break;
            case 12: x = rsqrtf(x * x + 1.0f); break;
            case 13: x = fminf(x + 9.0f, 100.0f); break;
            case 14: x = __logf(fabsf(x) + 1.0f); break;
            case 15: x = -x; break;
        }
    }
    out[i] = x;
}
