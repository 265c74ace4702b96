// Fourier transforms of 256 points along the columns of a matrix, the second half of a transform in 2-D: COLS columns a
// block in shared memory, radix 4, twiddle factors computed or from a table.
constexpr int N = 256, THREADS = COLS * LANES, EACH = N / 4 / LANES;

__device__ __forceinline__ float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

extern "C" __global__ void __launch_bounds__(THREADS) fft_columns_shared(const float2* __restrict__ in, float2* __restrict__ out, int width)
{
    __shared__ float2 data[N * COLS];
#if TABLE
    __shared__ float2 table[N];
    for (int i = threadIdx.x; i < N; i += THREADS) {
        float s, c;
        sincospif(-2.0f * i / N, &s, &c);
        table[i] = make_float2(c, s);
    }
    __syncthreads();
#endif
    const int column = threadIdx.x % COLS, lane = threadIdx.x / COLS, at = blockIdx.x * COLS + column;
    float2 v[EACH][4];
#pragma unroll
    for (int pass = 0; pass < 4; ++pass) {
        const int span = 1 << 2 * pass;
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const int j = e * LANES + lane, k = j % span;
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                v[e][r] = pass == 0 ? in[(size_t)(j + r * (N / 4)) * width + at] : data[(j + r * (N / 4)) * COLS + column];
                if (pass > 0 && r > 0) {
#if TABLE
                    v[e][r] = times(v[e][r], table[r * k * (N / 4 / span)]);
#else
                    float s, c;
                    __sincosf(-6.2831853f / (4 * span) * (r * k), &s, &c);
                    v[e][r] = times(v[e][r], make_float2(c, s));
#endif
                }
            }
            const float2 a = make_float2(v[e][0].x + v[e][2].x, v[e][0].y + v[e][2].y);
            const float2 b = make_float2(v[e][0].x - v[e][2].x, v[e][0].y - v[e][2].y);
            const float2 c = make_float2(v[e][1].x + v[e][3].x, v[e][1].y + v[e][3].y);
            const float2 d = make_float2(v[e][1].y - v[e][3].y, v[e][3].x - v[e][1].x);
            v[e][0] = make_float2(a.x + c.x, a.y + c.y);
            v[e][1] = make_float2(b.x + d.x, b.y + d.y);
            v[e][2] = make_float2(a.x - c.x, a.y - c.y);
            v[e][3] = make_float2(b.x - d.x, b.y - d.y);
        }
        __syncthreads();
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const int j = e * LANES + lane, k = j % span, to = (j - k) * 4 + k;
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                if (pass < 3)
                    data[(to + r * span) * COLS + column] = v[e][r];
                else
                    out[(size_t)(to + r * span) * width + at] = v[e][r];
            }
        }
        __syncthreads();
    }
}
