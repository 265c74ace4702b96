// Slicing: crc of some bytes at once is the exclusive or of what each byte gives in its own table.
constexpr int ROWS = 32768, WORDS = 256, SIZE = SLICES * 256;
typedef unsigned long long u64;

extern "C" __global__ void __launch_bounds__(THREADS)
crc64_slices_rows(const unsigned* __restrict__ words, const u64* __restrict__ tables, u64* __restrict__ sums)
{
    __shared__ u64 held[SHARED ? SIZE : 1];
    if (SHARED) {
        for (int i = threadIdx.x; i < SIZE; i += THREADS) held[i] = tables[i];
        __syncthreads();
    }
    const u64* table = SHARED ? held : tables;
    const int row = blockIdx.x * THREADS + threadIdx.x;
    auto word = [&](int i) { return TOGETHER ? words[row * WORDS + i] : words[i * ROWS + row]; };
    u64 crc = ~0ull;
#pragma unroll 2
    for (int i = 0; i < WORDS; i += SLICES / 4) {
        if (SLICES == 4) {
            crc ^= word(i);
            const unsigned low = (unsigned)crc;
            crc >>= 32;
#pragma unroll
            for (int b = 0; b < 4; ++b) crc ^= table[(3 - b) * 256 + (low >> (8 * b) & 255)];
        } else {
            crc ^= (u64)word(i) | (u64)word(i + 1) << 32;
            u64 next = 0;
#pragma unroll
            for (int b = 0; b < SLICES; ++b) next ^= table[(SLICES - 1 - b) * 256 + (int)(crc >> (8 * b) & 255)];
            crc = next;
        }
    }
    sums[row] = ~crc;
}
