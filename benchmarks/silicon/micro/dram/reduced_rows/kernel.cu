// A block reads a row of COLUMNS floats, adds it up (REDUCES 1) or not, and writes it, divided by the sum.
constexpr int PARTS = COLUMNS / THREADS / 4;

extern "C" __global__ void __launch_bounds__(THREADS) reduced_rows(const float4* __restrict__ input, float4* __restrict__ out) {
    __shared__ float sums[32];
    const size_t first = (size_t)blockIdx.x * (COLUMNS / 4) + threadIdx.x;
    float4 value[PARTS];
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < PARTS; ++i) value[i] = input[first + i * THREADS];
#pragma unroll
    for (int i = 0; i < PARTS; ++i) sum += value[i].x + value[i].y + value[i].z + value[i].w;
    if (REDUCES) {
#pragma unroll
        for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
        if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
        __syncthreads();
        sum = 0.0f;
#pragma unroll
        for (int w = 0; w < THREADS / 32; ++w) sum += sums[w];
    }
    const float by = __fdividef(1.0f, sum + 1.0f);
#pragma unroll
    for (int i = 0; i < PARTS; ++i) out[first + i * THREADS] = {value[i].x * by, value[i].y * by, value[i].z * by, value[i].w * by};
}
