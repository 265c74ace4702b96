// Layout 0: rows by words of 8 bytes, 1: rows by words of 16 bytes, 2: word w of all rows together.
typedef unsigned long long u64;
constexpr u64 P1 = 0x9E3779B185EBCA87ull, P2 = 0xC2B2AE3D27D4EB4Full, P3 = 0x165667B19E3779F9ull,
              P4 = 0x85EBCA77C2B2AE63ull;
constexpr int WORDS = BYTES / 8, ROWS = 16777216 / BYTES;

__device__ u64 rotate(u64 x, int r) { return x << r | x >> (64 - r); }
__device__ u64 round_of(u64 acc, u64 in) { return rotate(acc + in * P2, 31) * P1; }
__device__ u64 merge(u64 h, u64 v) { return (h ^ round_of(0, v)) * P1 + P4; }

extern "C" __global__ void __launch_bounds__(THREADS) xxhash64_rows(const u64* __restrict__ data, u64* __restrict__ hashes)
{
    const int row = blockIdx.x * THREADS + threadIdx.x;
    u64 v1 = P1 + P2, v2 = P2, v3 = 0, v4 = 0 - P1;
#pragma unroll 2
    for (int w = 0; w < WORDS; w += 4) {
        u64 x[4];
#if LAYOUT == 0
#pragma unroll
        for (int k = 0; k < 4; ++k) x[k] = data[(size_t)row * WORDS + w + k];
#elif LAYOUT == 1
#pragma unroll
        for (int k = 0; k < 4; k += 2) {
            const ulonglong2 t = *reinterpret_cast<const ulonglong2*>(data + (size_t)row * WORDS + w + k);
            x[k] = t.x;
            x[k + 1] = t.y;
        }
#else
#pragma unroll
        for (int k = 0; k < 4; ++k) x[k] = data[(size_t)(w + k) * ROWS + row];
#endif
        v1 = round_of(v1, x[0]);
        v2 = round_of(v2, x[1]);
        v3 = round_of(v3, x[2]);
        v4 = round_of(v4, x[3]);
    }
    u64 h = rotate(v1, 1) + rotate(v2, 7) + rotate(v3, 12) + rotate(v4, 18);
    h = merge(merge(merge(merge(h, v1), v2), v3), v4) + BYTES;
    h = (h ^ h >> 33) * P2;
    h = (h ^ h >> 29) * P3;
    hashes[row] = h ^ h >> 32;
}
