// Transforms of 1,024 complex numbers by Stockham's passes of radix 2, 4 or 32 through shared memory.
constexpr int N = 1024, TEAM = N / RADIX < 256 ? N / RADIX : 256, OWN = N / RADIX / TEAM, LOG = RADIX == 2 ? 1 : RADIX == 4 ? 2 : 5;
constexpr int ROOM = PADDED ? N + N / 32 : N;
constexpr float COS[16] = {1.0f, 0.980785280f, 0.923879533f, 0.831469612f, 0.707106781f, 0.555570233f, 0.382683432f, 0.195090322f,
                           0.0f, -0.195090322f, -0.382683432f, -0.555570233f, -0.707106781f, -0.831469612f, -0.923879533f, -0.980785280f};
constexpr float SIN[16] = {0.0f, -0.195090322f, -0.382683432f, -0.555570233f, -0.707106781f, -0.831469612f, -0.923879533f, -0.980785280f,
                           -1.0f, -0.980785280f, -0.923879533f, -0.831469612f, -0.707106781f, -0.555570233f, -0.382683432f, -0.195090322f};

__device__ __forceinline__ int place(int i)
{
    return PADDED ? i + i / 32 : i;
}

__device__ __forceinline__ constexpr int reversed(int i)
{
    int r = 0;
    for (int b = 0; b < LOG; ++b) r |= (i >> b & 1) << (LOG - 1 - b);
    return r;
}

__device__ __forceinline__ void small_fft(float2* v)
{
#pragma unroll
    for (int h = RADIX / 2; h; h /= 2)
#pragma unroll
        for (int i = 0; i < RADIX; ++i)
            if (!(i & h)) {
                const float2 a = v[i], b = v[i + h];
                const int k = i % h * (16 / h);
                const float x = a.x - b.x, y = a.y - b.y;
                v[i] = make_float2(a.x + b.x, a.y + b.y);
                v[i + h] = make_float2(x * COS[k] - y * SIN[k], x * SIN[k] + y * COS[k]);
            }
}

extern "C" __global__ void __launch_bounds__(TEAM * PER)
fft1024_shared_radices(const float2* __restrict__ in, float2* __restrict__ out)
{
    __shared__ float2 buffer[PER][ROOM];
    const int lane = threadIdx.x % TEAM, team = threadIdx.x / TEAM;
    const size_t base = (size_t)(blockIdx.x * PER + team) * N;
    float2* s = buffer[team];
    float2 v[OWN][RADIX];
#pragma unroll
    for (int o = 0; o < OWN; ++o)
#pragma unroll
        for (int r = 0; r < RADIX; ++r) v[o][r] = in[base + o * TEAM + lane + r * (N / RADIX)];
#pragma unroll
    for (int ns = 1; ns < N; ns *= RADIX) {
#pragma unroll
        for (int o = 0; o < OWN; ++o) {
            const int j = o * TEAM + lane;
            if (ns > 1) {
                const float step = -6.2831853f * (j % ns) / (ns * RADIX);
#pragma unroll
                for (int r = 1; r < RADIX; ++r) {
                    float sn, cs;
                    __sincosf(step * r, &sn, &cs);
                    const float2 a = v[o][r];
                    v[o][r] = make_float2(a.x * cs - a.y * sn, a.x * sn + a.y * cs);
                }
            }
            small_fft(v[o]);
        }
        if (ns * RADIX < N) {
            if (ns > 1) __syncthreads();
#pragma unroll
            for (int o = 0; o < OWN; ++o) {
                const int j = o * TEAM + lane, to = j / ns * ns * RADIX + j % ns;
#pragma unroll
                for (int r = 0; r < RADIX; ++r) s[place(to + r * ns)] = v[o][reversed(r)];
            }
            __syncthreads();
#pragma unroll
            for (int o = 0; o < OWN; ++o)
#pragma unroll
                for (int r = 0; r < RADIX; ++r) v[o][r] = s[place(o * TEAM + lane + r * (N / RADIX))];
        } else {
#pragma unroll
            for (int o = 0; o < OWN; ++o)
#pragma unroll
                for (int r = 0; r < RADIX; ++r) out[base + o * TEAM + lane + r * ns] = v[o][reversed(r)];
        }
    }
}
