// Taps are constants; rows are filtered on their way to shared memory, then the columns from there.
constexpr int W = 4096, H = 2048, R = RADIUS, TX = 64, ROWS = TY + 2 * R;
#if RADIUS == 2
__constant__ int taps[5] = {16, 64, 96, 64, 16};
#else
__constant__ int taps[9] = {1, 8, 28, 56, 70, 56, 28, 8, 1};
#endif
#if WHOLE
typedef int Sum;
#else
typedef float Sum;
#endif

extern "C" __global__ void __launch_bounds__(TX * BY)
gauss_bytes_both_passes(const unsigned char* __restrict__ x, unsigned char* __restrict__ y)
{
    __shared__ Sum mid[ROWS][TX];
    const int tx = threadIdx.x, col = blockIdx.x * TX + tx, row0 = blockIdx.y * TY;
#pragma unroll 2
    for (int r = threadIdx.y; r < ROWS; r += BY) {
        const int row = min(max(row0 + r - R, 0), H - 1);
        Sum s = 0;
#pragma unroll
        for (int k = -R; k <= R; ++k) s += (Sum)taps[k + R] * (Sum)x[row * W + min(max(col + k, 0), W - 1)];
        mid[r][tx] = s;
    }
    __syncthreads();
#pragma unroll 2
    for (int r = threadIdx.y; r < TY; r += BY) {
        Sum s = 0;
#pragma unroll
        for (int k = 0; k <= 2 * R; ++k) s += (Sum)taps[k] * mid[r + k][tx];
        y[(row0 + r) * W + col] = WHOLE ? ((int)s + 32768) >> 16 : (int)((float)s * (1.0f / 65536.0f) + 0.5f);
    }
}
