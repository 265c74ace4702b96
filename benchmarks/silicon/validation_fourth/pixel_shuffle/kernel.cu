// Depth to space, the last step of super resolution: FACTOR x FACTOR channels become the pixels of a square. Threads go
// along the output or along the input.
#if HALVES
typedef unsigned short T;
#else
typedef float T;
#endif

constexpr int SIDE = 128, WIDE = SIDE * FACTOR;

extern "C" __global__ void pixel_shuffle(const T* __restrict__ in, T* __restrict__ out, int total)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= total) return;
#if BY_OUTPUT
    const int x = i % WIDE, y = i / WIDE % WIDE, c = i / (WIDE * WIDE);
    const int from = ((c * FACTOR + y % FACTOR) * FACTOR + x % FACTOR) * SIDE * SIDE + y / FACTOR * SIDE + x / FACTOR;
    out[i] = in[from];
#else
    const int x = i % SIDE, y = i / SIDE % SIDE, plane = i / (SIDE * SIDE);
    const int dx = plane % FACTOR, dy = plane / FACTOR % FACTOR, c = plane / (FACTOR * FACTOR);
    out[(c * WIDE + y * FACTOR + dy) * WIDE + x * FACTOR + dx] = in[i];
#endif
}
