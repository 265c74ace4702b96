// Last pass of a prefix sum: a block starts from its offset; items of a thread lie together, or are exchanged through shared memory.
constexpr int SPAN = THREADS * ITEMS;

extern "C" __global__ void __launch_bounds__(THREADS)
exclusive_scan_u32_offsets(const unsigned* __restrict__ in, const unsigned* __restrict__ offset, unsigned* __restrict__ out)
{
    __shared__ unsigned sums[THREADS / 32];
    alignas(16) __shared__ unsigned tile[EXCHANGED ? SPAN + SPAN / 32 : 1];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t base = (size_t)blockIdx.x * SPAN;
    unsigned v[ITEMS];
    if (EXCHANGED) {
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int e = i * THREADS + threadIdx.x;
            tile[EXCHANGED ? e + e / 32 : 0] = in[base + e];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int e = threadIdx.x * ITEMS + i;
            v[i] = tile[EXCHANGED ? e + e / 32 : 0];
        }
    } else {
#pragma unroll
        for (int i = 0; i < ITEMS; i += 4) {
            const uint4 p = *reinterpret_cast<const uint4*>(in + base + threadIdx.x * ITEMS + i);
            v[i] = p.x;
            v[i + 1] = p.y;
            v[i + 2] = p.z;
            v[i + 3] = p.w;
        }
    }
    unsigned total = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const unsigned own = v[i];
        v[i] = total;
        total += own;
    }
    unsigned run = total;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const unsigned other = __shfl_up_sync(~0u, run, d);
        if (lane >= d) run += other;
    }
    if (lane == 31) sums[warp] = run;
    __syncthreads();
    unsigned before = offset[blockIdx.x] + run - total;
#pragma unroll
    for (int i = 0; i < THREADS / 32; ++i) before += i < warp ? sums[i] : 0;
    if (EXCHANGED) {
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int e = threadIdx.x * ITEMS + i;
            tile[EXCHANGED ? e + e / 32 : 0] = v[i] + before;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int e = i * THREADS + threadIdx.x;
            out[base + e] = tile[EXCHANGED ? e + e / 32 : 0];
        }
    } else {
#pragma unroll
        for (int i = 0; i < ITEMS; i += 4)
            *reinterpret_cast<uint4*>(out + base + threadIdx.x * ITEMS + i) = make_uint4(v[i] + before, v[i + 1] + before, v[i + 2] + before, v[i + 3] + before);
    }
}
