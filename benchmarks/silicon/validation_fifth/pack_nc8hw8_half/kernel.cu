// Layout change between NCHW and NC/8HW8 of tensors with 64 channels; a block handles eight channels of some pixels.
struct alignas(16) Eight { unsigned short v[8]; };

extern "C" __global__ void __launch_bounds__(THREADS)
pack_nc8hw8_half(const unsigned short* __restrict__ x, unsigned short* __restrict__ y)
{
    const int pixel = blockIdx.x * THREADS + threadIdx.x;
    const size_t base = (size_t)blockIdx.y * 8 * PIXELS;
#if IN_SHARED
    __shared__ __align__(4) unsigned short tile[8][THREADS + 2];
    const int first = blockIdx.x * THREADS;
    if (UNPACK) {
        if (pixel < PIXELS) {
            const Eight e = *(const Eight*)(x + base + (size_t)pixel * 8);
#pragma unroll
            for (int c = 0; c < 8; ++c) tile[c][threadIdx.x] = e.v[c];
        }
    } else {
        for (int i = threadIdx.x; i < 8 * THREADS / 2; i += THREADS) {
            const int c = i / (THREADS / 2), p = i % (THREADS / 2) * 2;
            if (first + p < PIXELS)
                *(unsigned*)&tile[c][p] = *(const unsigned*)(x + base + (size_t)c * PIXELS + first + p);
        }
    }
    __syncthreads();
    if (UNPACK) {
        for (int i = threadIdx.x; i < 8 * THREADS / 2; i += THREADS) {
            const int c = i / (THREADS / 2), p = i % (THREADS / 2) * 2;
            if (first + p < PIXELS)
                *(unsigned*)(y + base + (size_t)c * PIXELS + first + p) = *(const unsigned*)&tile[c][p];
        }
    } else if (pixel < PIXELS) {
        Eight e;
#pragma unroll
        for (int c = 0; c < 8; ++c) e.v[c] = tile[c][threadIdx.x];
        *(Eight*)(y + base + (size_t)pixel * 8) = e;
    }
#else
    if (pixel >= PIXELS) return;
    Eight e;
    if (UNPACK) {
        e = *(const Eight*)(x + base + (size_t)pixel * 8);
#pragma unroll
        for (int c = 0; c < 8; ++c) y[base + (size_t)c * PIXELS + pixel] = e.v[c];
    } else {
#pragma unroll
        for (int c = 0; c < 8; ++c) e.v[c] = x[base + (size_t)c * PIXELS + pixel];
        *(Eight*)(y + base + (size_t)pixel * 8) = e;
    }
#endif
}
