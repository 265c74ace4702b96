// One special function an element of a streamed array, ITEMS elements a thread.
#if FUNCTION == 0
#define APPLY(x) sinf(x)
#elif FUNCTION == 1
#define APPLY(x) __expf(x)
#elif FUNCTION == 2
#define APPLY(x) logf(x)
#elif FUNCTION == 3
#define APPLY(x) sqrtf(x)
#elif FUNCTION == 4
#define APPLY(x) powf(x, 1.7f)
#else
#define APPLY(x) tanhf(x)
#endif

extern "C" __global__ void special_functions(const float* __restrict__ input, float* __restrict__ out, float scale) {
    int first = blockIdx.x * (BLOCK_SIZE * ITEMS) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int i = first + k * BLOCK_SIZE;
        out[i] = APPLY(input[i] * scale + 0.5f);
    }
}
