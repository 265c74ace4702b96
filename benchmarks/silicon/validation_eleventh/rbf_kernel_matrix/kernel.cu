// exp(-g |x - y|^2) for all pairs of 4,096 points; squares of differences are added up (0) or norms and products are (1).
constexpr int N = 4096;

extern "C" __global__ void __launch_bounds__(256)
rbf_kernel_matrix(const float* __restrict__ x, float* __restrict__ k)
{
    __shared__ float as[CHUNK][68], bs[CHUNK][68];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float acc[4][4] = {}, na[4] = {}, nb[4] = {};
#pragma unroll 1
    for (int d0 = 0; d0 < DIM; d0 += CHUNK) {
        for (int i = threadIdx.x; i < 64 * CHUNK; i += 256) {
            as[i % CHUNK][i / CHUNK] = x[(row0 + i / CHUNK) * DIM + d0 + i % CHUNK];
            bs[i % CHUNK][i / CHUNK] = x[(col0 + i / CHUNK) * DIM + d0 + i % CHUNK];
        }
        __syncthreads();
#pragma unroll
        for (int d = 0; d < CHUNK; ++d) {
            const float4 p = *reinterpret_cast<const float4*>(&as[d][ty * 4]), q = *reinterpret_cast<const float4*>(&bs[d][tx * 4]);
            const float a[4] = {p.x, p.y, p.z, p.w}, b[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                if (NORMS) {
                    na[i] += a[i] * a[i];
                    nb[i] += b[i] * b[i];
                }
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    if (NORMS) {
                        acc[i][j] += a[i] * b[j];
                    } else {
                        const float t = a[i] - b[j];
                        acc[i][j] += t * t;
                    }
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float r[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float s = NORMS ? na[i] + nb[j] - 2.0f * acc[i][j] : acc[i][j];
            r[j] = FAST ? __expf(-0.25f * s) : expf(-0.25f * s);
        }
        *reinterpret_cast<float4*>(k + (size_t)(row0 + ty * 4 + i) * N + col0 + tx * 4) = make_float4(r[0], r[1], r[2], r[3]);
    }
}
