// 8 heads of 512 positions; SPLIT lanes share a key and go over all queries, TILE of them at a time in shared memory.
constexpr int SEQ = 512, Q4 = DIM / 4, OWN = Q4 / SPLIT;

__device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__device__ void add(float4& s, float c, float4 a)
{
    s.x += c * a.x;
    s.y += c * a.y;
    s.z += c * a.z;
    s.w += c * a.w;
}

extern "C" __global__ void __launch_bounds__(128)
attention_grad_v_tile(const float4* __restrict__ q, const float4* __restrict__ k, const float4* __restrict__ v,
                      const float4* __restrict__ go, const float* __restrict__ lse, const float* __restrict__ delta,
                      float4* __restrict__ dk, float4* __restrict__ dv)
{
    __shared__ float4 qs[TILE][Q4], gs[TILE][Q4];
    __shared__ float ls[TILE], ds[TILE];
    const int part = threadIdx.x % SPLIT, head = blockIdx.y * SEQ;
    const int at = (head + (blockIdx.x * 128 + threadIdx.x) / SPLIT) * Q4 + part;
    float4 kk[OWN], vv[OWN], sk[OWN], sv[OWN];
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
        kk[i] = k[at + i * SPLIT];
        vv[i] = v[at + i * SPLIT];
        sk[i] = sv[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
#pragma unroll 1
    for (int t = 0; t < SEQ; t += TILE) {
        __syncthreads();
        for (int i = threadIdx.x; i < TILE * Q4; i += 128) {
            qs[i / Q4][i % Q4] = q[(head + t) * Q4 + i];
            gs[i / Q4][i % Q4] = go[(head + t) * Q4 + i];
        }
        if (threadIdx.x < TILE) {
            ls[threadIdx.x] = lse[head + t + threadIdx.x];
            ds[threadIdx.x] = delta[head + t + threadIdx.x];
        }
        __syncthreads();
#pragma unroll UNROLL
        for (int j = 0; j < TILE; ++j) {
            float s = 0.0f, p = 0.0f;
#pragma unroll
            for (int i = 0; i < OWN; ++i) {
                s += dot(qs[j][i * SPLIT + part], kk[i]);
                p += dot(gs[j][i * SPLIT + part], vv[i]);
            }
#pragma unroll
            for (int d = SPLIT / 2; d; d >>= 1) {
                s += __shfl_xor_sync(~0u, s, d);
                p += __shfl_xor_sync(~0u, p, d);
            }
            const float w = __expf(s * 0.125f - ls[j]), e = w * (p - ds[j]) * 0.125f;
#pragma unroll
            for (int i = 0; i < OWN; ++i) {
                add(sv[i], w, gs[j][i * SPLIT + part]);
                add(sk[i], e, qs[j][i * SPLIT + part]);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
        dk[at + i * SPLIT] = sk[i];
        dv[at + i * SPLIT] = sv[i];
    }
}
