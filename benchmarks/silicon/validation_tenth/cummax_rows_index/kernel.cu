// A later number replaces an equal one before it. Rows are read in chunks of ITEMS * THREADS.
constexpr int WARPS = THREADS / 32, CHUNK = ITEMS * THREADS;

extern "C" __global__ void __launch_bounds__(THREADS)
cummax_rows_index(const float* __restrict__ x, float* __restrict__ top, int* __restrict__ at)
{
    __shared__ float tops[2][WARPS];
    __shared__ int places[2][WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float carry = -1.0e30f;
    int carried = 0, turn = 0;
#pragma unroll 1
    for (int c = 0; c < COLS; c += CHUNK) {
        const int col = c + threadIdx.x * ITEMS;
        const size_t from = (size_t)blockIdx.x * COLS + col;
        float f[ITEMS];
        int p[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i += 4) {
            const float4 v = *reinterpret_cast<const float4*>(x + from + i);
            f[i] = v.x, f[i + 1] = v.y, f[i + 2] = v.z, f[i + 3] = v.w;
        }
        p[0] = col;
#pragma unroll
        for (int i = 1; i < ITEMS; ++i) {
            p[i] = f[i] >= f[i - 1] ? col + i : p[i - 1];
            f[i] = fmaxf(f[i], f[i - 1]);
        }
        float m = f[ITEMS - 1];
        int q = p[ITEMS - 1];
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const float o = __shfl_up_sync(~0u, m, d);
            const int r = __shfl_up_sync(~0u, q, d);
            if (lane >= d && o > m) {
                m = o;
                q = r;
            }
        }
        if (lane == 31) {
            tops[turn][warp] = m;
            places[turn][warp] = q;
        }
        m = __shfl_up_sync(~0u, m, 1);
        q = __shfl_up_sync(~0u, q, 1);
        __syncthreads();
        float before = carry, whole = carry;
        int where = carried, last = carried;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            const float o = tops[turn][w];
            const int r = places[turn][w];
            if (w < warp && o >= before) before = o, where = r;
            if (o >= whole) whole = o, last = r;
        }
        if (lane && m >= before) before = m, where = q;
        carry = whole;
        carried = last;
        turn ^= 1;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i)
            if (before > f[i]) f[i] = before, p[i] = where;
#pragma unroll
        for (int i = 0; i < ITEMS; i += 4) {
            *reinterpret_cast<float4*>(top + from + i) = make_float4(f[i], f[i + 1], f[i + 2], f[i + 3]);
            *reinterpret_cast<int4*>(at + from + i) = make_int4(p[i], p[i + 1], p[i + 2], p[i + 3]);
        }
    }
}
