// [head][y][x][32] of 64 x 64 pixels; windows are moved inwards at borders. The running maximum is renewed for every
// key, or once for a row of the window.
#include <cuda_fp16.h>

constexpr int SIDE = 64, DIM = 32, TILE_X = 16, RADIUS = WINDOW / 2;
constexpr int WIDTH = TILE_X - 1 + WINDOW, HEIGHT = TILE_Y - 1 + WINDOW, STRIDE = DIM + 8;
constexpr int GROUP = BY_ROWS ? WINDOW : 1;

struct alignas(16) Eight { __half2 v[4]; };

__device__ int begin(int i) { return min(max(i - RADIUS, 0), SIDE - WINDOW); }

extern "C" __global__ void __launch_bounds__(16 * TILE_Y)
neighbourhood_attention_2d(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
                           __half* __restrict__ out)
{
    const int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
    const int head = blockIdx.z * SIDE * SIDE;
    int first = (begin(y) * SIDE + begin(x)) * DIM + head * DIM;
    const __half *keys = k, *values = v;
    int step_x = DIM, step_y = SIDE * DIM;
#if IN_SHARED
    extern __shared__ __align__(16) __half memory[];
    const int x0 = begin(blockIdx.x * TILE_X), y0 = begin(blockIdx.y * TILE_Y);
    for (int i = threadIdx.y * 16 + threadIdx.x; i < WIDTH * HEIGHT * 4; i += 16 * TILE_Y) {
        const int part = i % 4, px = i / 4 % WIDTH, py = i / 4 / WIDTH;
        if (x0 + px < SIDE && y0 + py < SIDE) {
            const int from = (head + (y0 + py) * SIDE + x0 + px) * DIM + part * 8;
            const int to = (py * WIDTH + px) * STRIDE + part * 8;
            *reinterpret_cast<uint4*>(memory + to) = *reinterpret_cast<const uint4*>(k + from);
            *reinterpret_cast<uint4*>(memory + WIDTH * HEIGHT * STRIDE + to) = *reinterpret_cast<const uint4*>(v + from);
        }
    }
    __syncthreads();
    keys = memory;
    values = memory + WIDTH * HEIGHT * STRIDE;
    first = ((begin(y) - y0) * WIDTH + begin(x) - x0) * STRIDE;
    step_x = STRIDE;
    step_y = WIDTH * STRIDE;
#endif
    const int mine = (head + y * SIDE + x) * DIM;
    float query[DIM], acc[DIM] = {};
#pragma unroll
    for (int p = 0; p < 4; ++p) {
        const Eight e = *reinterpret_cast<const Eight*>(q + mine + p * 8);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float2 f = __half22float2(e.v[j]);
            query[p * 8 + j * 2] = f.x * 0.1767767f;
            query[p * 8 + j * 2 + 1] = f.y * 0.1767767f;
        }
    }
    float top = -1e30f, sum = 0.0f;
    for (int wy = 0; wy < WINDOW; ++wy) {
        for (int wx = 0; wx < WINDOW; wx += GROUP) {
            const int at = first + wy * step_y + wx * step_x;
            float s[GROUP];
            float now = top;
#pragma unroll
            for (int g = 0; g < GROUP; ++g) {
                s[g] = 0.0f;
#pragma unroll
                for (int p = 0; p < 4; ++p) {
                    const Eight e = *reinterpret_cast<const Eight*>(keys + at + g * step_x + p * 8);
#pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        const float2 f = __half22float2(e.v[j]);
                        s[g] += query[p * 8 + j * 2] * f.x + query[p * 8 + j * 2 + 1] * f.y;
                    }
                }
                now = fmaxf(now, s[g]);
            }
            const float old = __expf(top - now);
            sum *= old;
            top = now;
#pragma unroll
            for (int j = 0; j < DIM; ++j) acc[j] *= old;
#pragma unroll
            for (int g = 0; g < GROUP; ++g) {
                const float w = __expf(s[g] - now);
                sum += w;
#pragma unroll
                for (int p = 0; p < 4; ++p) {
                    const Eight e = *reinterpret_cast<const Eight*>(values + at + g * step_x + p * 8);
#pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        const float2 f = __half22float2(e.v[j]);
                        acc[p * 8 + j * 2] += w * f.x;
                        acc[p * 8 + j * 2 + 1] += w * f.y;
                    }
                }
            }
        }
    }
    const float inverse = 1.0f / sum;
#pragma unroll
    for (int p = 0; p < 4; ++p) {
        Eight e;
#pragma unroll
        for (int j = 0; j < 4; ++j)
            e.v[j] = __floats2half2_rn(acc[p * 8 + j * 2] * inverse, acc[p * 8 + j * 2 + 1] * inverse);
        *reinterpret_cast<Eight*>(out + mine + p * 8) = e;
    }
}
