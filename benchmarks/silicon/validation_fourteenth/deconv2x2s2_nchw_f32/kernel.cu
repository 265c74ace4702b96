// A pixel becomes four; the weights of a pair of channels are a float4.
constexpr int CI = 64, CO = 32, SIDE = 64, PLANE = SIDE * SIDE;

extern "C" __global__ void __launch_bounds__(THREADS)
deconv2x2s2_nchw_f32(const float* __restrict__ x, const float4* __restrict__ w, float* __restrict__ y)
{
    __shared__ float4 ws[STAGED ? CI * OC : 1];
    const int o0 = blockIdx.y * OC, image = blockIdx.z, first = blockIdx.x * THREADS * PX + threadIdx.x;
    if (STAGED) {
        for (int i = threadIdx.x; i < CI * OC; i += THREADS) ws[i] = w[i / OC * CO + o0 + i % OC];
        __syncthreads();
    }
    float4 acc[PX][OC] = {};
    const float* from = x + (size_t)image * CI * PLANE + first;
#pragma unroll 2
    for (int c = 0; c < CI; ++c) {
        float f[PX];
#pragma unroll
        for (int p = 0; p < PX; ++p) f[p] = from[c * PLANE + p * THREADS];
#pragma unroll
        for (int o = 0; o < OC; ++o) {
            const float4 k = STAGED ? ws[c * OC + o] : w[c * CO + o0 + o];
#pragma unroll
            for (int p = 0; p < PX; ++p) {
                acc[p][o].x += f[p] * k.x;
                acc[p][o].y += f[p] * k.y;
                acc[p][o].z += f[p] * k.z;
                acc[p][o].w += f[p] * k.w;
            }
        }
    }
#pragma unroll
    for (int p = 0; p < PX; ++p) {
        const int at = first + p * THREADS, row = at / SIDE, col = at % SIDE;
#pragma unroll
        for (int o = 0; o < OC; ++o) {
            float2* to = reinterpret_cast<float2*>(y + (size_t)(image * CO + o0 + o) * 4 * PLANE) + row * 2 * SIDE + col;
            to[0] = make_float2(acc[p][o].x, acc[p][o].y);
            to[SIDE] = make_float2(acc[p][o].z, acc[p][o].w);
        }
    }
}
