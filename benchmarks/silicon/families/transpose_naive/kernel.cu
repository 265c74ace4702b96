// Transpose straight through global memory: coalesced reads, scattered writes (or the other way round).
extern "C" __global__ void transpose_naive(const float* __restrict__ input, float* __restrict__ out, int n) {
    int x = blockIdx.x * TILE_X + threadIdx.x;
    int y = blockIdx.y * TILE_Y + threadIdx.y;
#pragma unroll
    for (int k = 0; k < TILE_Y; k += 8) {
#if SCATTER
        out[x * n + y + k] = input[(y + k) * n + x];
#else
        out[(y + k) * n + x] = input[x * n + y + k];
#endif
    }
}
