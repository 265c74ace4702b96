// Discrete cosine transform of tiles of 32 x 32 by two products with the basis in shared memory, VEC columns and PER rows a thread.
constexpr int W = 2048, TX = 32 / VEC, TY = 32 / PER, THREADS = TX * TY, LD = 32 + PAD;
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
dct32_tiles_basis(const float* __restrict__ in, const float* __restrict__ basis, float* __restrict__ out)
{
    alignas(16) __shared__ float a[32][LD];
    alignas(16) __shared__ float b[32][LD];
    alignas(16) __shared__ float m[32][LD];
    const size_t base = (size_t)blockIdx.y * 32 * W + blockIdx.x * 32;
    const int x = threadIdx.x % TX * VEC, y = threadIdx.x / TX * PER;
    for (int i = threadIdx.x; i < 1024; i += THREADS) {
        a[i / 32][i % 32] = in[base + (size_t)(i / 32) * W + i % 32];
        m[i % 32][i / 32] = basis[i];
    }
    __syncthreads();
    float sum[PER][VEC] = {};
#pragma unroll 8
    for (int k = 0; k < 32; ++k) {
        const Pack q = *reinterpret_cast<const Pack*>(&m[k][x]);
#pragma unroll
        for (int i = 0; i < PER; ++i)
#pragma unroll
            for (int j = 0; j < VEC; ++j) sum[i][j] += a[y + i][k] * q.v[j];
    }
#pragma unroll
    for (int i = 0; i < PER; ++i)
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            b[y + i][x + j] = sum[i][j];
            sum[i][j] = 0.0f;
        }
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 32; ++k) {
        const Pack q = *reinterpret_cast<const Pack*>(&b[k][x]);
#pragma unroll
        for (int i = 0; i < PER; ++i)
#pragma unroll
            for (int j = 0; j < VEC; ++j) sum[i][j] += m[k][y + i] * q.v[j];
    }
#pragma unroll
    for (int i = 0; i < PER; ++i) {
        Pack p;
#pragma unroll
        for (int j = 0; j < VEC; ++j) p.v[j] = sum[i][j];
        *reinterpret_cast<Pack*>(out + base + (size_t)(y + i) * W + x) = p;
    }
}
