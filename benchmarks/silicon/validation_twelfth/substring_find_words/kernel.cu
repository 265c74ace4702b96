// Occurrences of a pattern of eight letters in texts of four letters: places compared by shifted words or letter by letter until one differs.
constexpr int SPAN = VEC * 4, TEXT = 33554432;
struct alignas(VEC * 4) Words { unsigned w[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
substring_find_words(const unsigned* __restrict__ text, const unsigned* __restrict__ pattern, int* __restrict__ found)
{
    __shared__ int sums[THREADS / 32];
    const unsigned low = pattern[0], high = pattern[1];
    int count = 0;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int first = (blockIdx.x * EACH + e) * THREADS + threadIdx.x, next = min(first * VEC + VEC, TEXT / 4 - 2);
        const Words p = reinterpret_cast<const Words*>(text)[first];
        unsigned w[VEC + 2];
#pragma unroll
        for (int i = 0; i < VEC; ++i) w[i] = p.w[i];
        w[VEC] = text[next];
        w[VEC + 1] = text[next + 1];
#pragma unroll
        for (int i = 0; i < SPAN; ++i) {
            if (SHIFTED) {
                const unsigned a = __funnelshift_r(w[i / 4], w[i / 4 + 1], i % 4 * 8), b = __funnelshift_r(w[i / 4 + 1], i / 4 + 2 < VEC + 2 ? w[i / 4 + 2] : 0, i % 4 * 8);
                count += a == low && b == high;
            } else {
                bool same = true;
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    const unsigned letter = w[(i + j) / 4] >> (i + j) % 4 * 8 & 255, wanted = (j < 4 ? low : high) >> j % 4 * 8 & 255;
                    same = same && letter == wanted;
                }
                count += same;
            }
        }
    }
    count = __reduce_add_sync(~0u, count);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = count;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < THREADS / 32; ++i) count += sums[i];
        found[blockIdx.x] = count;
    }
}
