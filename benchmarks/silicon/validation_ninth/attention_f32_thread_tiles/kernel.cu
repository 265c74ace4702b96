// Eight heads of 1,024 queries and keys; 16 lanes share RT queries, keys of a lane are 16 apart.
constexpr int TY = 64 / RT, THREADS = 16 * TY, CT = TK / 16, DT = DIM / 16, LDP = TK + 1;

extern "C" __global__ void __launch_bounds__(THREADS)
attention_f32_thread_tiles(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                           float* __restrict__ out)
{
    __shared__ float qs[64 * DIM / 2], ks[DIM / 2 * (TK + 1)], ps[32 * LDP];
    const int tx = threadIdx.x, ty = threadIdx.y, id = ty * 16 + tx;
    const size_t base = (size_t)blockIdx.y * 1024 * DIM;
    const int row0 = blockIdx.x * 64 + ty * RT;
    float acc[RT][DT] = {}, top[RT], sum[RT];
#pragma unroll
    for (int r = 0; r < RT; ++r) {
        top[r] = -1.0e30f;
        sum[r] = 0.0f;
    }
#pragma unroll 1
    for (int k0 = 0; k0 < 1024; k0 += TK) {
        float s[RT][CT] = {};
#pragma unroll 1
        for (int d0 = 0; d0 < DIM; d0 += DIM / 2) {
            __syncthreads();
            for (int i = id; i < 64 * DIM / 2; i += THREADS)
                qs[i] = q[base + (size_t)(blockIdx.x * 64 + i / (DIM / 2)) * DIM + d0 + i % (DIM / 2)];
            for (int i = id; i < TK * DIM / 2; i += THREADS)
                ks[i % (DIM / 2) * (TK + 1) + i / (DIM / 2)] = k[base + (size_t)(k0 + i / (DIM / 2)) * DIM + d0 + i % (DIM / 2)];
            __syncthreads();
#pragma unroll UNROLL
            for (int d = 0; d < DIM / 2; ++d) {
                float w[CT];
#pragma unroll
                for (int c = 0; c < CT; ++c) w[c] = ks[d * (TK + 1) + tx + c * 16];
#pragma unroll
                for (int r = 0; r < RT; ++r) {
                    const float f = qs[(ty * RT + r) * (DIM / 2) + d];
#pragma unroll
                    for (int c = 0; c < CT; ++c) s[r][c] += f * w[c];
                }
            }
        }
#pragma unroll
        for (int r = 0; r < RT; ++r) {
            float now = top[r], part = 0.0f;
#pragma unroll
            for (int c = 0; c < CT; ++c) {
                s[r][c] *= 0.125f;
                now = fmaxf(now, s[r][c]);
            }
#pragma unroll
            for (int d = 8; d; d >>= 1) now = fmaxf(now, __shfl_xor_sync(~0u, now, d));
            const float shrink = __expf(top[r] - now);
            top[r] = now;
#pragma unroll
            for (int c = 0; c < CT; ++c) {
                s[r][c] = __expf(s[r][c] - now);
                part += s[r][c];
            }
            sum[r] = sum[r] * shrink + part;
#pragma unroll
            for (int c = 0; c < DT; ++c) acc[r][c] *= shrink;
        }
#pragma unroll
        for (int h = 0; h < 2; ++h) {  // 32 queries at a time through shared memory
            __syncthreads();
            if (ty / (TY / 2) == h)
#pragma unroll
                for (int r = 0; r < RT; ++r)
#pragma unroll
                    for (int c = 0; c < CT; ++c) ps[(ty % (TY / 2) * RT + r) * LDP + tx + c * 16] = s[r][c];
            __syncthreads();
            if (ty / (TY / 2) == h)
#pragma unroll UNROLL
                for (int key = 0; key < TK; ++key) {
                    float w[DT];
#pragma unroll
                    for (int c = 0; c < DT; ++c) w[c] = v[base + (size_t)(k0 + key) * DIM + tx + c * 16];
#pragma unroll
                    for (int r = 0; r < RT; ++r) {
                        const float f = ps[(ty % (TY / 2) * RT + r) * LDP + key];
#pragma unroll
                        for (int c = 0; c < DT; ++c) acc[r][c] += f * w[c];
                    }
                }
        }
    }
#pragma unroll
    for (int r = 0; r < RT; ++r) {
#pragma unroll
        for (int d = 8; d; d >>= 1) sum[r] += __shfl_xor_sync(~0u, sum[r], d);
        const float inverse = 1.0f / sum[r];
#pragma unroll
        for (int c = 0; c < DT; ++c) out[base + (size_t)(row0 + r) * DIM + tx + c * 16] = acc[r][c] * inverse;
    }
}
