// Median of nine by 19 exchanges, one column of ROWS_EACH results a thread.
// Pixels are floats, or the single bytes of the same buffer; the results are floats.
#if BYTES
using Pixel = unsigned char;
__device__ int low(int a, int b) { return min(a, b); }
__device__ int high(int a, int b) { return max(a, b); }
using Value = int;
#else
using Pixel = float;
__device__ float low(float a, float b) { return fminf(a, b); }
__device__ float high(float a, float b) { return fmaxf(a, b); }
using Value = float;
#endif
__device__ void order(Value& a, Value& b) {
    Value t = low(a, b);
    b = high(a, b);
    a = t;
}

extern "C" __global__ void median_filter(const Pixel* __restrict__ input, float* __restrict__ output) {
    constexpr int pitch = 2056;
    int x = blockIdx.x * BLOCK_X + threadIdx.x, y = (blockIdx.y * 4 + threadIdx.y) * ROWS_EACH;
#pragma unroll
    for (int r = 0; r < ROWS_EACH; ++r) {
        Value p[9];
#pragma unroll
        for (int k = 0; k < 9; ++k) p[k] = input[(y + r + k / 3) * pitch + x + k % 3];
        order(p[1], p[2]); order(p[4], p[5]); order(p[7], p[8]);
        order(p[0], p[1]); order(p[3], p[4]); order(p[6], p[7]);
        order(p[1], p[2]); order(p[4], p[5]); order(p[7], p[8]);
        order(p[0], p[3]); order(p[5], p[8]); order(p[4], p[7]);
        order(p[3], p[6]); order(p[1], p[4]); order(p[2], p[5]);
        order(p[4], p[7]); order(p[4], p[2]); order(p[6], p[4]);
        order(p[4], p[2]);
        output[(y + r) * 2048 + x] = p[4];
    }
}
