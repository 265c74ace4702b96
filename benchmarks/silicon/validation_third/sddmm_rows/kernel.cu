// Sampled dense-dense product: for each entry of a sparse matrix the dot product of a row of a and a row of b, times
// the entry. LANES lanes share a dot product, four numbers an access.
extern "C" __global__ void sddmm_rows(const int* __restrict__ order, const int* __restrict__ columns,
                                      const float* __restrict__ values, const float4* __restrict__ a,
                                      const float4* __restrict__ b, float* __restrict__ out, int entries)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x, e = thread / LANES, lane = thread % LANES;
    if (e >= entries) return;
    const int row = order[e] / MEAN;
    const float4* pa = a + (size_t)row * (DEPTH / 4);
    const float4* pb = b + (size_t)columns[e] * (DEPTH / 4);
    float sum = 0.0f;
#pragma unroll
    for (int k = lane; k < DEPTH / 4; k += LANES) {
        const float4 u = pa[k], v = pb[k];
        sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
#pragma unroll
    for (int m = LANES / 2; m > 0; m >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, m, LANES);
    if (lane == 0) out[e] = values[e] * sum;
}
