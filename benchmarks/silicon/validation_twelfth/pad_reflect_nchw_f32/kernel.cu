// Reflection padding by three places of planes of 122 x 122 to 128 x 128; a thread has PER results in a row.
constexpr int N = 122, M = 128;

__device__ __forceinline__ int mirror(int i)
{
    i = i < 0 ? -i : i;
    return i >= N ? 2 * (N - 1) - i : i;
}

extern "C" __global__ void __launch_bounds__(BX * BY)
pad_reflect_nchw_f32(const float* __restrict__ in, float* __restrict__ out)
{
    const int x0 = (blockIdx.x * BX + threadIdx.x) * VEC;
    const float* from = in + (size_t)blockIdx.z * N * N;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int y = (blockIdx.y * ROWS + r) * BY + threadIdx.y;
        const float* line = from + mirror(y - 3) * N;
        struct alignas(VEC * 4) { float v[VEC]; } p;
#pragma unroll
        for (int j = 0; j < VEC; ++j) p.v[j] = line[mirror(x0 + j - 3)];
        *reinterpret_cast<decltype(p)*>(out + ((size_t)blockIdx.z * M + y) * M + x0) = p;
    }
}
