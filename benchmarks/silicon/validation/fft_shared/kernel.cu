// Stockham FFT of 4,096 complex numbers a block, one radix a launch, the data in registers between barriers.
// Twiddle factors by the exact or the fast sine and cosine.
constexpr int points = 4096, each = points / RADIX / BLOCK_SIZE;
__device__ float2 add(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 sub(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ float2 mul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ float2 turn(float2 a) { return make_float2(a.y, -a.x); }
__device__ float2 root(float angle) {
    float2 r;
    if (FAST)
        __sincosf(angle, &r.y, &r.x);
    else
        sincosf(angle, &r.y, &r.x);
    return r;
}
__device__ void butterfly2(float2& a, float2& b) {
    float2 t = sub(a, b);
    a = add(a, b);
    b = t;
}
__device__ void butterfly4(float2& a, float2& b, float2& c, float2& d) {
    butterfly2(a, c);
    butterfly2(b, d);
    d = turn(d);
    butterfly2(a, b);
    butterfly2(c, d);
    float2 t = b;
    b = c;
    c = t;
}
__device__ void butterfly(float2* v) {
    if constexpr (RADIX == 2) {
        butterfly2(v[0], v[1]);
    } else if constexpr (RADIX == 4) {
        butterfly4(v[0], v[1], v[2], v[3]);
    } else {
        const float h = 0.70710678f;
        butterfly4(v[0], v[2], v[4], v[6]);
        butterfly4(v[1], v[3], v[5], v[7]);
        v[3] = mul(v[3], make_float2(h, -h));
        v[5] = turn(v[5]);
        v[7] = mul(v[7], make_float2(-h, -h));
        float2 w[8];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            w[k] = add(v[2 * k], v[2 * k + 1]);
            w[k + 4] = sub(v[2 * k], v[2 * k + 1]);
        }
#pragma unroll
        for (int k = 0; k < 8; ++k) v[k] = w[k];
    }
}

extern "C" __global__ void fft_shared(const float2* __restrict__ input, float2* __restrict__ output) {
    __shared__ float2 data[points];
    for (int i = threadIdx.x; i < points; i += BLOCK_SIZE) data[i] = input[(size_t)blockIdx.x * points + i];
    for (int span = 1; span < points; span *= RADIX) {
        float2 v[each][RADIX];
        __syncthreads();
#pragma unroll
        for (int e = 0; e < each; ++e) {
            int j = threadIdx.x + e * BLOCK_SIZE;
            float angle = -6.2831853f * (j % span) / (span * RADIX);
#pragma unroll
            for (int r = 0; r < RADIX; ++r) {
                v[e][r] = data[j + r * (points / RADIX)];
                if (r) v[e][r] = mul(v[e][r], root(angle * r));
            }
            butterfly(v[e]);
        }
        __syncthreads();
#pragma unroll
        for (int e = 0; e < each; ++e) {
            int j = threadIdx.x + e * BLOCK_SIZE, to = j / span * span * RADIX + j % span;
#pragma unroll
            for (int r = 0; r < RADIX; ++r) data[to + r * span] = v[e][r];
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < points; i += BLOCK_SIZE) output[(size_t)blockIdx.x * points + i] = data[i];
}
