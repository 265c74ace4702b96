// The counter goes on from launch to launch; places wrap around at the buffer's end.
extern "C" __global__ void __launch_bounds__(256)
keep_above_threshold(const float* __restrict__ x, float* __restrict__ y, unsigned* __restrict__ count)
{
    __shared__ unsigned sums[8], start;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, base = (blockIdx.x * 8 + warp) * 32 * ITEMS;
    const float limit = 1.0f - 0.1f * TENTHS;
    float v[ITEMS];
    if (VEC == 4) {
#pragma unroll
        for (int i = 0; i < ITEMS; i += 4) {
            const float4 p = reinterpret_cast<const float4*>(x + base)[i * 8 + lane];
            v[i] = p.x, v[i + 1] = p.y, v[i + 2] = p.z, v[i + 3] = p.w;
        }
    } else {
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) v[i] = x[base + i * 32 + lane];
    }
    unsigned own = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) own += v[i] > limit;
    unsigned upto = own;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const unsigned o = __shfl_up_sync(~0u, upto, d);
        if (lane >= d) upto += o;
    }
    unsigned first = 0;
    if (BLOCK) {
        if (lane == 31) sums[warp] = upto;
        __syncthreads();
        if (threadIdx.x == 0) {
            unsigned total = 0;
#pragma unroll
            for (int w = 0; w < 8; ++w) {
                const unsigned s = sums[w];
                sums[w] = total;
                total += s;
            }
            start = atomicAdd(count, total);
        }
        __syncthreads();
        first = start + sums[warp];
    } else {
        if (lane == 31) first = atomicAdd(count, upto);
        first = __shfl_sync(~0u, first, 31);
    }
    unsigned at = first + upto - own;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
        if (v[i] > limit) y[at++ & 8388607] = v[i];
}
