// Base64: twelve bytes become sixteen letters a thread and step, letters by arithmetic or from a table in shared or
// constant memory.
#define RUN4(c) c, c + 1, c + 2, c + 3
#define RUN8(c) RUN4(c), RUN4(c + 4)
#define RUN26(c) RUN8(c), RUN8(c + 8), RUN8(c + 16), c + 24, c + 25
#if TABLE == 2
__constant__ unsigned char letters[64] = {RUN26('A'), RUN26('a'), RUN8('0'), '8', '9', '+', '/'};
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
base64_encode(const unsigned* __restrict__ in, uint4* __restrict__ out, int pieces)
{
#if TABLE == 1
    __shared__ unsigned char letters[64];
    if (threadIdx.x < 64) {
        const int v = threadIdx.x;
        letters[v] = v < 26 ? 'A' + v : v < 52 ? 'a' + v - 26 : v < 62 ? '0' + v - 52 : v == 62 ? '+' : '/';
    }
    __syncthreads();
#endif
    auto letter = [&](unsigned v) -> unsigned {
#if TABLE == 0
        return v < 26 ? v + 'A' : v < 52 ? v + ('a' - 26) : v < 62 ? v + ('0' - 52) : v == 62 ? '+' : '/';
#else
        return letters[v];
#endif
    };
    auto encode = [&](unsigned three) {
        return letter(three >> 18) | letter(three >> 12 & 63) << 8 | letter(three >> 6 & 63) << 16 | letter(three & 63) << 24;
    };
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = (blockIdx.x * EACH + e) * THREADS + threadIdx.x;
        if (i >= pieces) return;
        const unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
        uint4 r;
        r.x = encode(__byte_perm(a, 0, 0x4012));
        r.y = encode(__byte_perm(a, b, 0x7345) & 0xffffff);
        r.z = encode(__byte_perm(b, c, 0x7234) & 0xffffff);
        r.w = encode(__byte_perm(c, 0, 0x4123));
        out[i] = r;
    }
}
