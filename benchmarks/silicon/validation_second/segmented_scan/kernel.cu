// Segmented scan: a pair (flag, value) per thread after its own ITEMS elements, scanned over the warp, then over the
// warps. A flag of 0 begins a segment. Accesses are as wide as the items allow.
#if INTEGERS
typedef int value_t;
#else
typedef float value_t;
#endif
struct alignas(ITEMS == 1 ? 4 : 16) Floats { float v[ITEMS]; };
struct alignas(ITEMS == 1 ? 4 : 16) Ints { int v[ITEMS]; };

extern "C" __global__ void segmented_scan(const Ints* __restrict__ flags, const Floats* __restrict__ data,
                                          Floats* __restrict__ sums)
{
    __shared__ value_t warp_value[THREADS / 32];
    __shared__ int warp_flag[THREADS / 32];
    const int i = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const Ints f = flags[i];
    const Floats d = data[i];
    value_t run[ITEMS], total = 0;
    int any = 0;
    bool open[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        const value_t x = INTEGERS ? (value_t)(d.v[k] * 1024.0f) : (value_t)d.v[k];
        total = f.v[k] == 0 ? x : total + x;
        any |= f.v[k] == 0;
        run[k] = total;
        open[k] = !any;
    }
    value_t value = total;
    int flag = any;
    for (int o = 1; o < 32; o *= 2) {
        const value_t before = __shfl_up_sync(0xffffffff, value, o);
        const int flag_before = __shfl_up_sync(0xffffffff, flag, o);
        if (lane >= o) {
            if (!flag) value += before;
            flag |= flag_before;
        }
    }
    if (lane == 31) {
        warp_value[warp] = value;
        warp_flag[warp] = flag;
    }
    __syncthreads();
    value_t carry = 0;
    for (int w = 0; w < warp; ++w) carry = warp_flag[w] ? warp_value[w] : carry + warp_value[w];
    value_t left = __shfl_up_sync(0xffffffff, value, 1);
    const int left_flag = __shfl_up_sync(0xffffffff, flag, 1);
    if (lane == 0) left = carry;
    else if (!left_flag) left += carry;

    Floats out;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) out.v[k] = (float)(run[k] + (open[k] ? left : (value_t)0));
    sums[i] = out;
}
