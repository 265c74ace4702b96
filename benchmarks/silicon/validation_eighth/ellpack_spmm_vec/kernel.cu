// 16,384 x 16,384 with 16 entries in every row.
struct alignas(VEC * 4) Pack { float v[VEC]; };
constexpr int ROWS = 16384, WIDTH = 16, PACKS = COLS / VEC;

extern "C" __global__ void __launch_bounds__(256)
ellpack_spmm_vec(const int* __restrict__ index, const float* __restrict__ value, const Pack* __restrict__ x, Pack* __restrict__ y)
{
    const int i = blockIdx.x * 256 + threadIdx.x, row = i / PACKS, part = i % PACKS;
    Pack sum = {};
#pragma unroll UNROLL
    for (int k = 0; k < WIDTH; ++k) {
        const int at = BY_ROWS ? row * WIDTH + k : k * ROWS + row;
        const float w = value[at];
        const Pack p = x[index[at] * PACKS + part];
#pragma unroll
        for (int j = 0; j < VEC; ++j) sum.v[j] += w * p.v[j];
    }
    y[i] = sum;
}
