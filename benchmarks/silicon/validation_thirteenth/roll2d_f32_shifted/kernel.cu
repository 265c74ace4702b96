// y[r][c] = x[r - 5][c - SHIFT], around the borders; VEC results of a thread are stored together but read one by one.
constexpr int N = 4096;
struct alignas(VEC * 4) Pack { float f[VEC]; };

extern "C" __global__ void __launch_bounds__(BX * 4)
roll2d_f32_shifted(const float* __restrict__ x, Pack* __restrict__ y)
{
    const int strip = blockIdx.x * BX + threadIdx.x, row0 = (blockIdx.y * 4 + threadIdx.y) * ROWS;
    Pack p[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const float* from = x + ((row0 + r - 5) & (N - 1)) * N;
#pragma unroll
        for (int j = 0; j < VEC; ++j) p[r].f[j] = from[(strip * VEC + j - SHIFT) & (N - 1)];
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) y[(row0 + r) * (N / VEC) + strip] = p[r];
}
