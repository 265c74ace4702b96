// Linear layer y = x w^T + bias in FP32: both operands have the depth as their fast dimension.
// Tiles of both in shared memory with an odd pitch, filled by loads of VECTOR floats.
struct alignas(4 * VECTOR) Pack { float v[VECTOR]; };

extern "C" __global__ void linear_bias(const Pack* __restrict__ x, const Pack* __restrict__ w,
                                       const float* __restrict__ bias, float* __restrict__ y) {
    constexpr int depth = 512 / VECTOR, outputs = 768, each = TILE / 16;
    __shared__ float sx[TILE][TILE_K + 1], sw[TILE][TILE_K + 1];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    float sum[each][each] = {};
    for (int k0 = 0; k0 < 512; k0 += TILE_K) {
#pragma unroll
        for (int i = threadIdx.x; i < TILE * TILE_K / VECTOR; i += 256) {
            int r = i / (TILE_K / VECTOR), k = i % (TILE_K / VECTOR);
            Pack a = x[(row0 + r) * depth + k0 / VECTOR + k], b = w[(column0 + r) * depth + k0 / VECTOR + k];
#pragma unroll
            for (int j = 0; j < VECTOR; ++j) {
                sx[r][k * VECTOR + j] = a.v[j];
                sw[r][k * VECTOR + j] = b.v[j];
            }
        }
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < TILE_K; ++k) {
            float p[each], q[each];
#pragma unroll
            for (int i = 0; i < each; ++i) {
                p[i] = sx[ty + 16 * i][k];
                q[i] = sw[tx + 16 * i][k];
            }
#pragma unroll
            for (int i = 0; i < each; ++i)
#pragma unroll
                for (int j = 0; j < each; ++j) sum[i][j] = fmaf(p[i], q[j], sum[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < each; ++i)
#pragma unroll
        for (int j = 0; j < each; ++j) {
            int column = column0 + tx + 16 * j;
            y[(row0 + ty + 16 * i) * outputs + column] = sum[i][j] + bias[column];
        }
}
