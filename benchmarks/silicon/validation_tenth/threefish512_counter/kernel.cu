// 72 rounds of four mixes, a key added before every fourth one. Staged words of a warp are written side by side.
constexpr int U = UNROLL, WARPS = THREADS / 32;
typedef unsigned long long Word;

__device__ __forceinline__ Word turned(Word x, int n)
{
    return x << n | x >> (64 - n);
}

__device__ constexpr int ROTATIONS[8][4] = {{46, 36, 19, 37}, {33, 27, 14, 42}, {17, 49, 36, 39}, {44, 9, 54, 56},
                                            {39, 30, 34, 24}, {13, 50, 10, 17}, {25, 29, 39, 43}, {8, 35, 56, 22}};

extern "C" __global__ void __launch_bounds__(THREADS)
threefish512_counter(const Word* __restrict__ key, Word* __restrict__ out)
{
    __shared__ Word keys[32], stage[STAGED ? WARPS : 1][STAGED ? 32 * 9 : 1];
    if (threadIdx.x == 0) {
        Word all = 0x1bd11bdaa9fc1a22ull;
        for (int i = 0; i < 8; ++i) all ^= key[i];
        for (int i = 0; i < 27; ++i) keys[i] = i % 9 == 8 ? all : key[i % 9];
    }
    __syncthreads();
    Word x[EACH][8];
#pragma unroll
    for (int e = 0; e < EACH; ++e)
#pragma unroll
        for (int i = 0; i < 8; ++i) x[e][i] = i == 0 ? (blockIdx.x * EACH + e) * THREADS + threadIdx.x : 0;
#pragma unroll U
    for (int g = 0; g < 9; ++g)
#pragma unroll
        for (int r = 0; r < 8; ++r) {
            if (r % 4 == 0)
#pragma unroll
                for (int e = 0; e < EACH; ++e) {
#pragma unroll
                    for (int i = 0; i < 8; ++i) x[e][i] += keys[(2 * g + r / 4) % 9 + i];
                    x[e][7] += 2 * g + r / 4;
                }
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    x[e][2 * i] += x[e][2 * i + 1];
                    x[e][2 * i + 1] = turned(x[e][2 * i + 1], ROTATIONS[r][i]) ^ x[e][2 * i];
                }
                const Word a = x[e][0], b = x[e][1], c = x[e][2], d = x[e][3], f = x[e][4], h = x[e][5], k = x[e][6], l = x[e][7];
                x[e][0] = c, x[e][1] = b, x[e][2] = f, x[e][3] = l, x[e][4] = k, x[e][5] = h, x[e][6] = a, x[e][7] = d;
            }
        }
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const size_t base = (size_t)((blockIdx.x * EACH + e) * THREADS + warp * 32) * 8;
        if (STAGED) {
            __syncwarp();
#pragma unroll
            for (int i = 0; i < 8; ++i) stage[STAGED ? warp : 0][STAGED ? lane * 9 + i : 0] = x[e][i];
            __syncwarp();
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                const int w = i * 32 + lane;
                out[base + w] = stage[STAGED ? warp : 0][STAGED ? w / 8 * 9 + w % 8 : 0];
            }
        } else {
#pragma unroll
            for (int i = 0; i < 8; i += 2)
                *reinterpret_cast<ulonglong2*>(out + base + lane * 8 + i) = make_ulonglong2(x[e][i], x[e][i + 1]);
        }
    }
}
