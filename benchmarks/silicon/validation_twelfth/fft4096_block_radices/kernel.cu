// Fourier transforms of 4,096 complex numbers, a block a transform: passes of radix 8 or 16 in registers, parts exchanged through shared memory together or one after the other.
constexpr int N = 4096, THREADS = N / RADIX, PASSES = RADIX == 16 ? 3 : 4;

__device__ __forceinline__ float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

template <int R>
__device__ __forceinline__ void transform(float2* v)
{
    constexpr float turns[8] = {1.0f, 0.92387953f, 0.70710678f, 0.38268343f, 0.0f, -0.38268343f, -0.70710678f, -0.92387953f};
#pragma unroll
    for (int half = R / 2; half; half >>= 1)
#pragma unroll
        for (int i = 0; i < R; ++i) {
            if (i & half) continue;
            const int k = i % half * (8 / half);
            const float2 w = make_float2(turns[k], -turns[k < 4 ? 4 - k : k - 4]);
            const float2 a = v[i], b = v[i + half];
            v[i] = make_float2(a.x + b.x, a.y + b.y);
            v[i + half] = times(make_float2(a.x - b.x, a.y - b.y), w);
        }
}

__device__ __forceinline__ int reversed(int i)
{
    return RADIX == 16 ? (i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | (i & 8) >> 3 : (i & 1) << 2 | (i & 2) | (i & 4) >> 2;
}

__device__ __forceinline__ int place(int i)
{
    return PADDED ? i + i / 16 : i;
}

extern "C" __global__ void __launch_bounds__(THREADS)
fft4096_block_radices(const float2* __restrict__ in, const float2* __restrict__ table, float2* __restrict__ out)
{
    __shared__ float values[(TOGETHER ? 2 : 1) * (N + (PADDED ? N / 16 : 0))];
    constexpr int APART = N + (PADDED ? N / 16 : 0);
    const size_t base = (size_t)blockIdx.x * N;
    float2 v[RADIX];
#pragma unroll
    for (int i = 0; i < RADIX; ++i) v[i] = in[base + i * THREADS + threadIdx.x];
    int stride = 1;
#pragma unroll
    for (int pass = 0; pass < PASSES; ++pass) {
        const int low = threadIdx.x & stride - 1;
        if (pass)
#pragma unroll
            for (int i = 1; i < RADIX; ++i) {
                const int turn = low * i * (N / (stride * RADIX));
                float2 w;
                if (TABLE) w = table[turn];
                else __sincosf(-1.5339808e-3f * turn, &w.y, &w.x);
                v[i] = times(v[i], w);
            }
        transform<RADIX>(v);
        const int to = (threadIdx.x - low) * RADIX + low;
        if (pass == PASSES - 1) {
#pragma unroll
            for (int i = 0; i < RADIX; ++i) out[base + to + i * stride] = v[reversed(i)];
        } else if (TOGETHER) {
            __syncthreads();
#pragma unroll
            for (int i = 0; i < RADIX; ++i) {
                values[place(to + i * stride)] = v[reversed(i)].x;
                values[(TOGETHER ? APART : 0) + place(to + i * stride)] = v[reversed(i)].y;
            }
            __syncthreads();
#pragma unroll
            for (int i = 0; i < RADIX; ++i) v[i] = make_float2(values[place(i * THREADS + threadIdx.x)], values[(TOGETHER ? APART : 0) + place(i * THREADS + threadIdx.x)]);
        } else {
            float2 n[RADIX];
            __syncthreads();
#pragma unroll
            for (int i = 0; i < RADIX; ++i) values[place(to + i * stride)] = v[reversed(i)].x;
            __syncthreads();
#pragma unroll
            for (int i = 0; i < RADIX; ++i) n[i].x = values[place(i * THREADS + threadIdx.x)];
            __syncthreads();
#pragma unroll
            for (int i = 0; i < RADIX; ++i) values[place(to + i * stride)] = v[reversed(i)].y;
            __syncthreads();
#pragma unroll
            for (int i = 0; i < RADIX; ++i) {
                n[i].y = values[place(i * THREADS + threadIdx.x)];
                v[i] = n[i];
            }
        }
        stride *= RADIX;
    }
}
