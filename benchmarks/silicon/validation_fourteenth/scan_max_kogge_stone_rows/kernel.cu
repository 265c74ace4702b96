// Inclusive scan of maxima with a carry from tile to tile.
constexpr int TILE = ITEMS * THREADS, WARPS = THREADS / 32;
struct alignas(ITEMS == 2 ? 8 : 16) Pack { unsigned u[ITEMS]; };

extern "C" __global__ void __launch_bounds__(THREADS)
scan_max_kogge_stone_rows(const Pack* __restrict__ x, Pack* __restrict__ y)
{
    __shared__ unsigned part[2][THREADS];
    const int t = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * (ROW / ITEMS) + t;
    unsigned carry = 0;
#pragma unroll 1
    for (int tile = 0; tile < ROW / TILE; ++tile) {
        Pack p = x[base + tile * THREADS];
#pragma unroll
        for (int i = 1; i < ITEMS; ++i) p.u[i] = max(p.u[i], p.u[i - 1]);
        unsigned before, all;
        if (SHUFFLED) {
            unsigned v = p.u[ITEMS - 1];
#pragma unroll
            for (int d = 1; d < 32; d *= 2) {
                const unsigned o = __shfl_up_sync(~0u, v, d);
                if (t % 32 >= d) v = max(v, o);
            }
            if (t % 32 == 31) part[0][t / 32] = v;
            before = __shfl_up_sync(~0u, v, 1);
            if (t % 32 == 0) before = 0;
            __syncthreads();
            all = 0;
#pragma unroll
            for (int w = 0; w < WARPS; ++w) {
                const unsigned o = part[0][w];
                if (w < t / 32) before = max(before, o);
                all = max(all, o);
            }
            __syncthreads();
        } else {
            int side = 0;
            part[0][t] = p.u[ITEMS - 1];
            __syncthreads();
#pragma unroll
            for (int d = 1; d < THREADS; d *= 2) {
                const unsigned v = part[side][t];
                part[side ^ 1][t] = t >= d ? max(v, part[side][t >= d ? t - d : 0]) : v;
                side ^= 1;
                __syncthreads();
            }
            before = t ? part[side][t ? t - 1 : 0] : 0;
            all = part[side][THREADS - 1];
            __syncthreads();
        }
        before = max(before, carry);
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) p.u[i] = max(p.u[i], before);
        y[base + tile * THREADS] = p;
        carry = max(carry, all);
    }
}
