// A batch of small square products. A thread computes four neighbouring results of a column; a block handles
// as many matrices as its 4 THREADS results make up.
extern "C" __global__ void batched_small_gemm(const float* __restrict__ a, const float* __restrict__ b,
                                              float* __restrict__ c)
{
    const int chunk = 4 * THREADS, size = ORDER * ORDER;
    const int local = threadIdx.x / ORDER * 4 * ORDER + threadIdx.x % ORDER;
    const long long base = (long long)blockIdx.x * chunk;
#if USE_SHARED
    const int held = chunk > size ? chunk : size;
    __shared__ float sa[held], sb[held];
    const long long start = base / size * size;
    for (int i = threadIdx.x; i < held; i += THREADS) {
        sa[i] = a[start + i];
        sb[i] = b[start + i];
    }
    __syncthreads();
    const int here = (int)(base - start) + local;
    const float *ma = sa + here / size * size, *mb = sb + here / size * size;
#else
    const long long here = base + local;
    const float *ma = a + here / size * size, *mb = b + here / size * size;
#endif
    const int row = (int)(here % size) / ORDER, col = (int)(here % size) % ORDER;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma unroll 8
    for (int k = 0; k < ORDER; k++) {
        const float v = mb[k * ORDER + col];
        s0 += ma[(row + 0) * ORDER + k] * v;
        s1 += ma[(row + 1) * ORDER + k] * v;
        s2 += ma[(row + 2) * ORDER + k] * v;
        s3 += ma[(row + 3) * ORDER + k] * v;
    }
    c[base + local] = s0;
    c[base + local + ORDER] = s1;
    c[base + local + 2 * ORDER] = s2;
    c[base + local + 3 * ORDER] = s3;
}
