// 16 heads of 512 positions; SPLIT lanes share a query, tiles of keys and values in shared memory, online softmax.
constexpr int SEQ = 512, Q4 = DIM / 4, OWN = Q4 / SPLIT;

extern "C" __global__ void __launch_bounds__(128)
attention_split_lanes_f32(const float4* __restrict__ q, const float4* __restrict__ k, const float4* __restrict__ v,
                          float4* __restrict__ out, float scale)
{
    __shared__ float4 ks[TILE][Q4], vs[TILE][Q4];
    const int part = threadIdx.x % SPLIT;
    const size_t head = (size_t)blockIdx.y * SEQ * Q4;
    const size_t at = head + (size_t)(blockIdx.x * 128 + threadIdx.x) / SPLIT * Q4 + part;
    float4 mine[OWN], sum[OWN];
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
        mine[i] = q[at + i * SPLIT];
        sum[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    float m = -1.0e30f, l = 0.0f;
#pragma unroll 1
    for (int t = 0; t < SEQ; t += TILE) {
        __syncthreads();
#pragma unroll
        for (int i = threadIdx.x; i < TILE * Q4; i += 128) {
            ks[i / Q4][i % Q4] = k[head + t * Q4 + i];
            vs[i / Q4][i % Q4] = v[head + t * Q4 + i];
        }
        __syncthreads();
#pragma unroll 2
        for (int j = 0; j < TILE; ++j) {
            float s = 0.0f;
#pragma unroll
            for (int i = 0; i < OWN; ++i) {
                const float4 f = ks[j][i * SPLIT + part];
                s += f.x * mine[i].x + f.y * mine[i].y + f.z * mine[i].z + f.w * mine[i].w;
            }
#pragma unroll
            for (int d = SPLIT / 2; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
            s *= scale;
            const float n = fmaxf(m, s), c = __expf(m - n), p = __expf(s - n);
            m = n;
            l = l * c + p;
#pragma unroll
            for (int i = 0; i < OWN; ++i) {
                const float4 f = vs[j][i * SPLIT + part];
                sum[i].x = sum[i].x * c + p * f.x;
                sum[i].y = sum[i].y * c + p * f.y;
                sum[i].z = sum[i].z * c + p * f.z;
                sum[i].w = sum[i].w * c + p * f.w;
            }
        }
    }
    const float inverse = 1.0f / l;
#pragma unroll
    for (int i = 0; i < OWN; ++i)
        out[at + i * SPLIT] = make_float4(sum[i].x * inverse, sum[i].y * inverse, sum[i].z * inverse, sum[i].w * inverse);
}
