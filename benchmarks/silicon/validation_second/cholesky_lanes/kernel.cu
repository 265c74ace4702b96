// Batched Cholesky: ORDER lanes hold a matrix, lane r its row r. The diagonal is raised by ORDER, which makes every
// matrix positive definite. INTERLEAVED lays the same element of consecutive rows side by side.
extern "C" __global__ void cholesky_lanes(const float* __restrict__ matrices, float* __restrict__ factors)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x;
    const int r = threadIdx.x % ORDER, rows = 4194304 / ORDER;
    float row[ORDER];
#pragma unroll
    for (int j = 0; j < ORDER; ++j) {
        row[j] = matrices[INTERLEAVED ? j * rows + thread : thread * ORDER + j];
        if (j == r) row[j] += ORDER;
    }
#pragma unroll
    for (int k = 0; k < ORDER; ++k) {
        const float pivot = __shfl_sync(0xffffffff, row[k], k, ORDER);
        const float inverse = rsqrtf(pivot);
        row[k] *= inverse;
#pragma unroll
        for (int j = k + 1; j < ORDER; ++j) {
            const float l = __shfl_sync(0xffffffff, row[k], j, ORDER);
            row[j] -= row[k] * l;
        }
    }
#pragma unroll
    for (int j = 0; j < ORDER; ++j)
        factors[INTERLEAVED ? j * rows + thread : thread * ORDER + j] = j <= r ? row[j] : 0.0f;
}
