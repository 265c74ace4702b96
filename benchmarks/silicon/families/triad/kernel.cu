// STREAM triad a = b + s c in float4, a grid-stride loop over a fixed number of blocks.
extern "C" __global__ void triad(float4* __restrict__ a, const float4* __restrict__ b, const float4* __restrict__ c,
                                 float s, int vectors) {
    constexpr int unroll = UNROLL;
    int threads = gridDim.x * blockDim.x;
#pragma unroll unroll
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += threads) {
        float4 p = b[i];
        float4 q = c[i];
        a[i] = make_float4(p.x + s * q.x, p.y + s * q.y, p.z + s * q.z, p.w + s * q.w);
    }
}
