// Transposes of 1,024 x 1,024 matrices of 16-bit numbers through a tile in shared memory.
extern "C" __global__ void __launch_bounds__(32 * ROWS)
batched_transpose_bf16(const unsigned short* __restrict__ x, unsigned short* __restrict__ y)
{
    __shared__ alignas(16) unsigned short tile[64][64 + PAD];
    const size_t base = (size_t)blockIdx.z << 20;
    const int c0 = blockIdx.x * 64, r0 = blockIdx.y * 64;
#pragma unroll
    for (int r = threadIdx.y; r < 64; r += ROWS) {
        const unsigned short* from = x + base + (size_t)(r0 + r) * 1024 + c0;
        if (PAIR) {
            *reinterpret_cast<unsigned*>(&tile[r][2 * threadIdx.x]) = reinterpret_cast<const unsigned*>(from)[threadIdx.x];
        } else {
            tile[r][threadIdx.x] = from[threadIdx.x];
            tile[r][threadIdx.x + 32] = from[threadIdx.x + 32];
        }
    }
    __syncthreads();
#pragma unroll
    for (int r = threadIdx.y; r < 64; r += ROWS) {
        unsigned short* to = y + base + (size_t)(c0 + r) * 1024 + r0;
        if (PAIR) {
            const unsigned low = tile[2 * threadIdx.x][r], high = tile[2 * threadIdx.x + 1][r];
            reinterpret_cast<unsigned*>(to)[threadIdx.x] = low | high << 16;
        } else {
            to[threadIdx.x] = tile[threadIdx.x][r];
            to[threadIdx.x + 32] = tile[threadIdx.x + 32][r];
        }
    }
}
