// Exclusive prefix sums of a mask of bytes, row by row; sums within a word come by one multiplication.
constexpr int WORDS = VEC / 4, WARPS = THREADS / 32, CHUNK = THREADS * VEC;
struct alignas(VEC) Bytes { unsigned w[WORDS]; };
struct alignas(8) Four { unsigned w[2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
mask_positions_bytes(const unsigned char* __restrict__ mask, unsigned short* __restrict__ position)
{
    __shared__ unsigned total[2][WARPS];
    __shared__ Four out[EXCHANGED ? CHUNK / 4 : 1];
    const int t = threadIdx.x, lane = t % 32;
    const size_t row = (size_t)blockIdx.x * ROW;
    unsigned carry = 0;
#pragma unroll 1
    for (int c = 0; c < ROW / CHUNK; ++c) {
        const Bytes b = *reinterpret_cast<const Bytes*>(mask + row + c * CHUNK + t * VEC);
        unsigned own = 0, before[WORDS];
#pragma unroll
        for (int i = 0; i < WORDS; ++i) {
            before[i] = own;
            own += b.w[i] * 0x01010101u >> 24;
        }
        unsigned up = own;
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            const unsigned o = __shfl_up_sync(~0u, up, d);
            if (lane >= d) up += o;
        }
        if (lane == 31) total[c & 1][t / 32] = up;
        __syncthreads();
        unsigned base = carry + up - own;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            const unsigned s = total[c & 1][w];
            if (w < t / 32) base += s;
            carry += s;
        }
#pragma unroll
        for (int i = 0; i < WORDS; ++i) {
            const unsigned in = b.w[i] * 0x01010101u - b.w[i], p = base + before[i];
            Four f;
            f.w[0] = (p + (in & 255)) | (p + (in >> 8 & 255)) << 16;
            f.w[1] = (p + (in >> 16 & 255)) | (p + (in >> 24)) << 16;
            if (EXCHANGED) out[EXCHANGED ? t * WORDS + i : 0] = f;
            else *reinterpret_cast<Four*>(position + row + c * CHUNK + t * VEC + i * 4) = f;
        }
        if (EXCHANGED) {
            __syncthreads();
#pragma unroll
            for (int i = 0; i < WORDS; ++i)
                *reinterpret_cast<Four*>(position + row + c * CHUNK + (i * THREADS + t) * 4) = out[EXCHANGED ? i * THREADS + t : 0];
        }
    }
}
