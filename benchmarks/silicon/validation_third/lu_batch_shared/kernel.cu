// LU factors of many small matrices in shared memory, a block a matrix, with partial pivoting or without.
extern "C" __global__ void __launch_bounds__(THREADS)
lu_batch_shared(const float* __restrict__ matrices, float* __restrict__ factors, int* __restrict__ pivots)
{
    __shared__ float m[ORDER][ORDER + 1];
    __shared__ int chosen;
    const int t = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * ORDER * ORDER;
    for (int i = t; i < ORDER * ORDER; i += THREADS) {
        const int r = i / ORDER, c = i % ORDER;
        m[r][c] = matrices[base + i] + (r == c ? 0.5f * ORDER : 0.0f);
    }
    __syncthreads();
    for (int k = 0; k < ORDER; ++k) {
#if PIVOT
        if (t < 32) {
            float best = -1.0f;
            int row = k;
            for (int r = k + t; r < ORDER; r += 32)
                if (fabsf(m[r][k]) > best) {
                    best = fabsf(m[r][k]);
                    row = r;
                }
            for (int d = 16; d > 0; d >>= 1) {
                const float o = __shfl_down_sync(0xffffffff, best, d);
                const int r = __shfl_down_sync(0xffffffff, row, d);
                if (o > best) {
                    best = o;
                    row = r;
                }
            }
            if (t == 0) {
                chosen = row;
                pivots[blockIdx.x * ORDER + k] = row;
            }
        }
        __syncthreads();
        const int p = chosen;
        if (p != k)
            for (int c = t; c < ORDER; c += THREADS) {
                const float v = m[k][c];
                m[k][c] = m[p][c];
                m[p][c] = v;
            }
        __syncthreads();
#endif
        const float inverse = 1.0f / m[k][k];
        for (int r = k + 1 + t; r < ORDER; r += THREADS) m[r][k] *= inverse;
        __syncthreads();
        for (int r = k + 1 + t / 32; r < ORDER; r += THREADS / 32) {
            const float l = m[r][k];
            for (int c = k + 1 + t % 32; c < ORDER; c += 32) m[r][c] -= l * m[k][c];
        }
        __syncthreads();
    }
    for (int i = t; i < ORDER * ORDER; i += THREADS) factors[base + i] = m[i / ORDER][i % ORDER];
}
