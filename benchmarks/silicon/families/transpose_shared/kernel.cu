// Transpose through a shared tile of 32 x 32 with PAD spare words a row: 32-way bank conflicts without.
extern "C" __global__ void transpose_shared(const float* __restrict__ input, float* __restrict__ out, int n) {
    __shared__ float tile[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (int k = 0; k < 32; k += BLOCK_ROWS) tile[threadIdx.y + k][threadIdx.x] = input[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
    for (int k = 0; k < 32; k += BLOCK_ROWS) out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}
