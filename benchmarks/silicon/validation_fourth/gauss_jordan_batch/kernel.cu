// Inverses of many small matrices by Gauss and Jordan in place, a matrix a block in shared memory, rows padded or not.
constexpr int PITCH = ORDER + PAD;

extern "C" __global__ void __launch_bounds__(THREADS) gauss_jordan_batch(const float* __restrict__ in, float* __restrict__ out)
{
    __shared__ float a[ORDER * PITCH], row[ORDER], column[ORDER];
    const int t = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * ORDER * ORDER;
    for (int i = t; i < ORDER * ORDER; i += THREADS)
        a[i / ORDER * PITCH + i % ORDER] = in[base + i] + (i / ORDER == i % ORDER ? (float)ORDER : 0.0f);
    for (int k = 0; k < ORDER; ++k) {
        __syncthreads();
        if (t < ORDER) {
            row[t] = a[k * PITCH + t];
            column[t] = a[t * PITCH + k];
        }
        __syncthreads();
        const float pivot = 1.0f / row[k];
        for (int e = t; e < ORDER * ORDER; e += THREADS) {
            const int i = e / ORDER, j = e % ORDER;
            float value;
            if (i == k)
                value = j == k ? pivot : row[j] * pivot;
            else
                value = j == k ? -column[i] * pivot : a[i * PITCH + j] - column[i] * row[j] * pivot;
            a[i * PITCH + j] = value;
        }
    }
    __syncthreads();
    for (int i = t; i < ORDER * ORDER; i += THREADS) out[base + i] = a[i / ORDER * PITCH + i % ORDER];
}
