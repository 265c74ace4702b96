// Prefix sums along the rows of an image of bytes, a block a row: ITEMS pixels a thread at a time, a carry between
// the stretches of a row.
constexpr int WARPS = THREADS / 32, STRETCH = THREADS * ITEMS;

extern "C" __global__ void __launch_bounds__(THREADS)
integral_rows(const unsigned char* __restrict__ image, int* __restrict__ sums, int width)
{
    __shared__ int parts[2][WARPS];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const unsigned char* row = image + (size_t)blockIdx.x * width;
    int* to = sums + (size_t)blockIdx.x * width;
    int carry = 0, turn = 0;
    for (int x0 = 0; x0 < width; x0 += STRETCH, turn ^= 1) {
        const int x = x0 + t * ITEMS;
        int v[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i += 4) {
            const uchar4 p = x < width ? *reinterpret_cast<const uchar4*>(row + x + i) : make_uchar4(0, 0, 0, 0);
            v[i] = p.x;
            v[i + 1] = p.y;
            v[i + 2] = p.z;
            v[i + 3] = p.w;
        }
#pragma unroll
        for (int i = 1; i < ITEMS; ++i) v[i] += v[i - 1];
        int scan = v[ITEMS - 1];
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            const int o = __shfl_up_sync(0xffffffff, scan, d);
            if (lane >= d) scan += o;
        }
        if (lane == 31) parts[turn][warp] = scan;
        __syncthreads();
        int before = carry + scan - v[ITEMS - 1];
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            if (w < warp) before += parts[turn][w];
            carry += parts[turn][w];
        }
        if (x < width)
#pragma unroll
            for (int i = 0; i < ITEMS; i += 4)
                *reinterpret_cast<int4*>(to + x + i) =
                    make_int4(before + v[i], before + v[i + 1], before + v[i + 2], before + v[i + 3]);
    }
}
