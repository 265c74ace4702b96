// 2,048 rows of 4,096; a thread holds a square of MICRO x MICRO, written out directly or through shared memory.
struct alignas(MICRO * 4) Pack { float v[MICRO]; };
constexpr int ROWS = 2048, COLS = 4096, BY = 256 / BX, TX = BX * MICRO, TY = BY * MICRO;

extern "C" __global__ void __launch_bounds__(256) transpose_register_micro(const Pack* __restrict__ x, Pack* __restrict__ y)
{
    const int tx = threadIdx.x % BX, ty = threadIdx.x / BX;
    const int c = blockIdx.x * BX + tx, r = (blockIdx.y * BY + ty) * MICRO;
    Pack p[MICRO];
#pragma unroll
    for (int k = 0; k < MICRO; ++k) p[k] = x[(size_t)(r + k) * (COLS / MICRO) + c];
#if SHARED
    __shared__ float tile[TY][TX + 1];
#pragma unroll
    for (int k = 0; k < MICRO; ++k)
#pragma unroll
        for (int j = 0; j < MICRO; ++j) tile[ty * MICRO + k][tx * MICRO + j] = p[k].v[j];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < MICRO; ++k) {
        const int e = threadIdx.x + k * 256, column = e / BY, v = e % BY;
        Pack q;
#pragma unroll
        for (int j = 0; j < MICRO; ++j) q.v[j] = tile[v * MICRO + j][column];
        y[(size_t)(blockIdx.x * TX + column) * (ROWS / MICRO) + blockIdx.y * BY + v] = q;
    }
#else
#pragma unroll
    for (int j = 0; j < MICRO; ++j) {
        Pack q;
#pragma unroll
        for (int k = 0; k < MICRO; ++k) q.v[k] = p[k].v[j];
        y[(size_t)(c * MICRO + j) * (ROWS / MICRO) + r / MICRO] = q;
    }
#endif
}
