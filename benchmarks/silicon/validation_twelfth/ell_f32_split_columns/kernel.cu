// ELLPACK matrix by columns; SPLIT warps of a block share 32 rows, each with every SPLIT-th column, and add up in shared memory.
constexpr int ROWS = 8388608 / WIDTH;

extern "C" __global__ void __launch_bounds__(32 * SPLIT * GROUPS)
ell_f32_split_columns(const int* __restrict__ column, const float* __restrict__ value, const float* __restrict__ x, float* __restrict__ y)
{
    __shared__ float parts[GROUPS][SPLIT][32];
    constexpr int U = UNROLL;
    const int lane = threadIdx.x % 32, part = threadIdx.x / 32 % SPLIT, group = threadIdx.x / 32 / SPLIT;
    const int row = (blockIdx.x * GROUPS + group) * 32 + lane;
    float sum = 0.0f;
#pragma unroll U
    for (int k = part; k < WIDTH; k += SPLIT) sum += value[(size_t)k * ROWS + row] * x[column[(size_t)k * ROWS + row]];
    if (SPLIT > 1) {
        parts[group][part][lane] = sum;
        __syncthreads();
        if (part) return;
#pragma unroll
        for (int i = 1; i < SPLIT; ++i) sum += parts[group][i][lane];
    }
    y[row] = sum;
}
