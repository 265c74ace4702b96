// Gradients of attention by keys and values; LANES lanes have a key and walk over the queries of a head.
constexpr int SEQ = 512, TQ = 32, OWN = DIM / LANES, KEYS = THREADS / LANES;

extern "C" __global__ void
attention_dkv_f32_lanes(const float4* __restrict__ q, const float4* __restrict__ k, const float4* __restrict__ v,
                        const float4* __restrict__ dout, const float* __restrict__ lse, const float* __restrict__ delta,
                        float4* __restrict__ dk, float4* __restrict__ dv)
{
    __shared__ float4 qs[TQ][DIM / 4], ds[TQ][DIM / 4];
    __shared__ float ls[TQ], es[TQ];
    const int lane = threadIdx.x % LANES, key = blockIdx.x * KEYS + threadIdx.x / LANES;
    const size_t base = (size_t)blockIdx.y * SEQ * (DIM / 4);
    float4 a[OWN / 4], b[OWN / 4], ga[OWN / 4], gb[OWN / 4];
#pragma unroll
    for (int i = 0; i < OWN / 4; ++i) {
        a[i] = k[base + key * (DIM / 4) + i * LANES + lane];
        b[i] = v[base + key * (DIM / 4) + i * LANES + lane];
        ga[i] = gb[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
#pragma unroll 1
    for (int q0 = 0; q0 < SEQ; q0 += TQ) {
        __syncthreads();
        for (int i = threadIdx.x; i < TQ * DIM / 4; i += THREADS) {
            qs[i / (DIM / 4)][i % (DIM / 4)] = q[base + q0 * (DIM / 4) + i];
            ds[i / (DIM / 4)][i % (DIM / 4)] = dout[base + q0 * (DIM / 4) + i];
        }
        if (threadIdx.x < TQ) {
            ls[threadIdx.x] = lse[blockIdx.y * SEQ + q0 + threadIdx.x];
            es[threadIdx.x] = delta[blockIdx.y * SEQ + q0 + threadIdx.x];
        }
        __syncthreads();
#pragma unroll 2
        for (int r = 0; r < TQ; ++r) {
            float s = 0.0f, p = 0.0f;
#pragma unroll
            for (int i = 0; i < OWN / 4; ++i) {
                const float4 x = qs[r][i * LANES + lane], y = ds[r][i * LANES + lane];
                s += x.x * a[i].x + x.y * a[i].y + x.z * a[i].z + x.w * a[i].w;
                p += y.x * b[i].x + y.y * b[i].y + y.z * b[i].z + y.w * b[i].w;
            }
#pragma unroll
            for (int d = LANES / 2; d; d >>= 1) {
                s += __shfl_xor_sync(~0u, s, d);
                p += __shfl_xor_sync(~0u, p, d);
            }
            const float e = __expf(s * 0.125f - ls[r]), g = e * (p - es[r]) * 0.125f;
#pragma unroll
            for (int i = 0; i < OWN / 4; ++i) {
                const float4 x = qs[r][i * LANES + lane], y = ds[r][i * LANES + lane];
                ga[i].x += g * x.x;
                ga[i].y += g * x.y;
                ga[i].z += g * x.z;
                ga[i].w += g * x.w;
                gb[i].x += e * y.x;
                gb[i].y += e * y.y;
                gb[i].z += e * y.z;
                gb[i].w += e * y.w;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < OWN / 4; ++i) {
        dk[base + key * (DIM / 4) + i * LANES + lane] = ga[i];
        dv[base + key * (DIM / 4) + i * LANES + lane] = gb[i];
    }
}
