// Sums over 8,192 rows of 1,024 columns: dy and dy times normalised x; a block takes CHUNK rows of 32 * VEC columns.
struct alignas(VEC * 4) Pack { float v[VEC]; };
constexpr int COLS = 1024;

extern "C" __global__ void __launch_bounds__(32 * ROWS)
scale_shift_grad_cols(const Pack* __restrict__ dy, const Pack* __restrict__ x, const float* __restrict__ mean,
                      const float* __restrict__ rstd, float* __restrict__ dg, float* __restrict__ db)
{
    __shared__ float gs[ROWS][32 * VEC], bs[ROWS][32 * VEC];
    const int at = blockIdx.x * 32 + threadIdx.x;
    float g[VEC] = {}, b[VEC] = {};
#pragma unroll 2
    for (int i = threadIdx.y; i < CHUNK; i += ROWS) {
        const int row = blockIdx.y * CHUNK + i;
        const Pack d = dy[row * (COLS / VEC) + at], p = x[row * (COLS / VEC) + at];
        const float m = mean[row], r = rstd[row];
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            g[j] += d.v[j] * (p.v[j] - m) * r;
            b[j] += d.v[j];
        }
    }
#pragma unroll
    for (int j = 0; j < VEC; ++j) {
        gs[threadIdx.y][j * 32 + threadIdx.x] = g[j];
        bs[threadIdx.y][j * 32 + threadIdx.x] = b[j];
    }
    __syncthreads();
    for (int c = threadIdx.y * 32 + threadIdx.x; c < 32 * VEC; c += 32 * ROWS) {
        float p = 0.0f, q = 0.0f;
#pragma unroll
        for (int y = 0; y < ROWS; ++y) {
            p += gs[y][c];
            q += bs[y][c];
        }
        const int col = (blockIdx.x * 32 + c % 32) * VEC + c / 32;
        if (ATOMIC) {
            atomicAdd(dg + col, p);
            atomicAdd(db + col, q);
        } else {
            dg[blockIdx.y * COLS + col] = p;
            db[blockIdx.y * COLS + col] = q;
        }
    }
}
