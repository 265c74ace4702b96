// Forward substitution with a lower triangular matrix, the solution of a side in a lane's registers.
extern "C" __global__ void __launch_bounds__(MATRICES * 32)
trsm_batched_lower(const float* __restrict__ factor, const float* __restrict__ rhs, float* __restrict__ x)
{
    const int lane = threadIdx.x % 32, local = threadIdx.x / 32, matrix = blockIdx.x * MATRICES + local;
    const float* l = factor + matrix * ORDER * ORDER;
#if IN_SHARED
    __shared__ float shared[MATRICES][ORDER * ORDER];
#pragma unroll
    for (int i = 0; i < ORDER * ORDER; i += 32) shared[local][i + lane] = l[i + lane];
    __syncwarp();
    l = shared[local];
#endif
    float v[ORDER];
#pragma unroll
    for (int i = 0; i < ORDER; ++i) v[i] = rhs[(matrix * ORDER + i) * 32 + lane];
#pragma unroll
    for (int i = 0; i < ORDER; ++i) {
        float s = v[i];
#pragma unroll
        for (int j = 0; j < i; ++j) s -= l[i * ORDER + j] * v[j];
        v[i] = s / (l[i * ORDER + i] + 4.0f);
    }
#pragma unroll
    for (int i = 0; i < ORDER; ++i) x[(matrix * ORDER + i) * 32 + lane] = v[i];
}
