// Inclusive sums along rows; the sum so far is carried from tile to tile.
struct alignas(ITEMS * 4) Pack { float v[ITEMS]; };
constexpr int TILE = THREADS * ITEMS;

extern "C" __global__ void __launch_bounds__(THREADS)
cumsum_rows_f32(const Pack* __restrict__ x, Pack* __restrict__ y)
{
    __shared__ float s[2][THREADS];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const size_t row = (size_t)blockIdx.x * (COLS / ITEMS);
    float carry = 0.0f;
#pragma unroll 1
    for (int k = 0; k < COLS / TILE; ++k) {
        Pack p = x[row + k * THREADS + t];
#pragma unroll
        for (int i = 1; i < ITEMS; ++i) p.v[i] += p.v[i - 1];
        float sum = p.v[ITEMS - 1], total, before;
        if (SHUFFLES) {
#pragma unroll
            for (int d = 1; d < 32; d *= 2) {
                const float o = __shfl_up_sync(~0u, sum, d);
                if (lane >= d) sum += o;
            }
            if (lane == 31) s[k % 2][warp] = sum;
            __syncthreads();
            before = carry;
            total = 0.0f;
#pragma unroll
            for (int w = 0; w < THREADS / 32; ++w) {
                if (w < warp) before += s[k % 2][w];
                total += s[k % 2][w];
            }
            before += sum - p.v[ITEMS - 1];
        } else {
            int now = 0;
            s[0][t] = sum;
            __syncthreads();
#pragma unroll
            for (int d = 1; d < THREADS; d *= 2) {
                s[now ^ 1][t] = t >= d ? s[now][t] + s[now][t - d] : s[now][t];
                now ^= 1;
                __syncthreads();
            }
            before = carry + (t ? s[now][t - 1] : 0.0f);
            total = s[now][THREADS - 1];
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) p.v[i] += before;
        y[row + k * THREADS + t] = p;
        carry += total;
    }
}
