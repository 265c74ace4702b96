// Adler-32: the plain sum and the sum by places of a chunk's bytes, by one warp.
constexpr int CHUNK = 4096, WORDS = VEC / 4;
struct alignas(VEC) Bytes { unsigned w[WORDS]; };

extern "C" __global__ void __launch_bounds__(32 * WARPS)
adler32_chunks_dp4a(const unsigned char* __restrict__ data, unsigned* __restrict__ sums)
{
    constexpr int U = UNROLL;
    const int chunk = blockIdx.x * WARPS + threadIdx.y, lane = threadIdx.x;
    const Bytes* from = reinterpret_cast<const Bytes*>(data + (size_t)chunk * CHUNK);
    unsigned a = 0, b = 0;
#pragma unroll U
    for (int i = lane; i < CHUNK / VEC; i += 32) {
        const Bytes p = from[i];
#pragma unroll
        for (int j = 0; j < WORDS; ++j) {
            const unsigned left = CHUNK - i * VEC - j * 4;
            if (DOT) {
                const unsigned s = __dp4a(p.w[j], 0x01010101u, 0u);
                a += s;
                b += left * s - __dp4a(p.w[j], 0x03020100u, 0u);
            } else {
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    const unsigned v = p.w[j] >> 8 * k & 255;
                    a += v;
                    b += (left - k) * v;
                }
            }
        }
    }
    a = __reduce_add_sync(~0u, a);
    b = __reduce_add_sync(~0u, b);
    if (lane == 0) sums[chunk] = (b + CHUNK) % 65521u << 16 | (a + 1) % 65521u;
}
