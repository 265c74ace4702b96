// Least and greatest byte of a row.
constexpr int COLS = 8192, THREADS = WARPS * 32, WORDS = VEC / 4;
struct alignas(VEC) Bytes { unsigned w[WORDS]; };

extern "C" __global__ void __launch_bounds__(THREADS)
minmax_bytes_rows(const unsigned char* __restrict__ x, unsigned char* __restrict__ out)
{
    constexpr int U = UNROLL;
    __shared__ unsigned part[WARPS][2];
    const Bytes* row = reinterpret_cast<const Bytes*>(x + (size_t)blockIdx.x * COLS);
    unsigned least4 = ~0u, most4 = 0, least = 255, most = 0;
#pragma unroll U
    for (int i = threadIdx.x; i < COLS / VEC; i += THREADS) {
        const Bytes b = row[i];
#pragma unroll
        for (int j = 0; j < WORDS; ++j) {
            if (SIMD) {
                least4 = __vminu4(least4, b.w[j]);
                most4 = __vmaxu4(most4, b.w[j]);
            } else {
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    least = min(least, b.w[j] >> 8 * k & 255);
                    most = max(most, b.w[j] >> 8 * k & 255);
                }
            }
        }
    }
    if (SIMD) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            least = min(least, least4 >> 8 * k & 255);
            most = max(most, most4 >> 8 * k & 255);
        }
    }
    least = __reduce_min_sync(~0u, least);
    most = __reduce_max_sync(~0u, most);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32][0] = least, part[threadIdx.x / 32][1] = most;
    __syncthreads();
    if (threadIdx.x == 0) {
#pragma unroll
        for (int w = 1; w < WARPS; ++w) {
            least = min(least, part[w][0]);
            most = max(most, part[w][1]);
        }
        out[2 * blockIdx.x] = least;
        out[2 * blockIdx.x + 1] = most;
    }
}
