// Thomas' algorithm: forward elimination and back substitution in a thread. What the way back needs is kept in
// memory beside the solution, or in an array of the thread.
#if INTERLEAVED
#define AT(I) ((I) * (2097152 / SIZE) + id)
#else
#define AT(I) (id * SIZE + (I))
#endif

extern "C" __global__ void thomas_batch(const float* __restrict__ lower, const float* __restrict__ upper,
                                        const float* __restrict__ right, float* __restrict__ scratch,
                                        float* __restrict__ solution)
{
    const int id = blockIdx.x * THREADS + threadIdx.x;
#if SCRATCH_LOCAL
    float ratio[SIZE];
#define RATIO(I) ratio[I]
#else
#define RATIO(I) scratch[AT(I)]
#endif
    float c = 0.0f, d = 0.0f;
#pragma unroll 4
    for (int i = 0; i < SIZE; ++i) {
        const float a = lower[AT(i)], m = 1.0f / (3.0f - a * c);
        c = upper[AT(i)] * m;
        d = (right[AT(i)] - a * d) * m;
        RATIO(i) = c;
        solution[AT(i)] = d;
    }
#pragma unroll 4
    for (int i = SIZE - 2; i >= 0; --i) {
        d = solution[AT(i)] - RATIO(i) * d;
        solution[AT(i)] = d;
    }
}
