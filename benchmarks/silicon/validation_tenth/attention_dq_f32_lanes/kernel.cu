// Twelve heads of 1,024; lane i of a query has every LANES-th quadruple of the dimensions from the i-th on.
constexpr int THREADS = 128, OWN = DIM / LANES, QUADS = OWN / 4;

extern "C" __global__ void
attention_dq_f32_lanes(const float4* __restrict__ q, const float4* __restrict__ k, const float4* __restrict__ v,
                       const float4* __restrict__ dout, const float* __restrict__ lse, const float* __restrict__ delta,
                       float4* __restrict__ dq)
{
    __shared__ float4 ks[TK * (DIM / 4)], vs[TK * (DIM / 4)];
    const int lane = threadIdx.x % LANES, query = blockIdx.y * 1024 + (blockIdx.x * THREADS + threadIdx.x) / LANES;
    const int base = blockIdx.y * 1024 * (DIM / 4), own = query * (DIM / 4) + lane;
    float4 a[QUADS], d[QUADS], sum[QUADS];
#pragma unroll
    for (int i = 0; i < QUADS; ++i) {
        a[i] = q[own + i * LANES];
        d[i] = dout[own + i * LANES];
        sum[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    const float l = lse[query], dl = delta[query];
#pragma unroll 1
    for (int k0 = 0; k0 < 1024; k0 += TK) {
        __syncthreads();
        for (int i = threadIdx.x; i < TK * (DIM / 4); i += THREADS) {
            ks[i] = k[base + k0 * (DIM / 4) + i];
            vs[i] = v[base + k0 * (DIM / 4) + i];
        }
        __syncthreads();
#pragma unroll 2
        for (int j = 0; j < TK; ++j) {
            float s = 0.0f, p = 0.0f;
#pragma unroll
            for (int i = 0; i < QUADS; ++i) {
                const float4 f = ks[j * (DIM / 4) + i * LANES + lane], h = vs[j * (DIM / 4) + i * LANES + lane];
                s += a[i].x * f.x + a[i].y * f.y + a[i].z * f.z + a[i].w * f.w;
                p += d[i].x * h.x + d[i].y * h.y + d[i].z * h.z + d[i].w * h.w;
            }
#pragma unroll
            for (int e = LANES / 2; e; e >>= 1) {
                s += __shfl_xor_sync(~0u, s, e);
                p += __shfl_xor_sync(~0u, p, e);
            }
            const float ds = __expf(s * 0.125f - l) * (p - dl) * 0.125f;
#pragma unroll
            for (int i = 0; i < QUADS; ++i) {
                const float4 f = ks[j * (DIM / 4) + i * LANES + lane];
                sum[i].x += ds * f.x;
                sum[i].y += ds * f.y;
                sum[i].z += ds * f.z;
                sum[i].w += ds * f.w;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < QUADS; ++i) dq[own + i * LANES] = sum[i];
}
