// FP32 matrix product in blocks: tiles of A (transposed on the way) and B in shared memory, a square of
// THREAD_TILE results a thread. DOUBLE_BUFFER fetches the next tiles into registers while it computes.
constexpr int threads = TILE_M * TILE_N / (THREAD_TILE * THREAD_TILE);
constexpr int a_each = (TILE_M * TILE_K / 4 + threads - 1) / threads;
constexpr int b_each = (TILE_N * TILE_K / 4 + threads - 1) / threads;
constexpr int columns = 1024;

extern "C" __global__ void sgemm_blocked(const float* __restrict__ a, const float* __restrict__ b,
                                         float* __restrict__ c, int depth) {
    __shared__ __align__(16) float sa[1 + DOUBLE_BUFFER][TILE_K][TILE_M];
    __shared__ __align__(16) float sb[1 + DOUBLE_BUFFER][TILE_K][TILE_N];
    const int t = threadIdx.x, m0 = blockIdx.y * TILE_M, n0 = blockIdx.x * TILE_N;
    const int ty = t / (TILE_N / THREAD_TILE) * THREAD_TILE, tx = t % (TILE_N / THREAD_TILE) * THREAD_TILE;
    float4 ra[a_each], rb[b_each];
    float sum[THREAD_TILE][THREAD_TILE] = {};
    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < a_each; ++i) {
            int at = t + i * threads;
            if (at < TILE_M * TILE_K / 4)
                ra[i] = *(const float4*)(a + (m0 + at / (TILE_K / 4)) * depth + k0 + at % (TILE_K / 4) * 4);
        }
#pragma unroll
        for (int i = 0; i < b_each; ++i) {
            int at = t + i * threads;
            if (at < TILE_N * TILE_K / 4)
                rb[i] = *(const float4*)(b + (k0 + at / (TILE_N / 4)) * columns + n0 + at % (TILE_N / 4) * 4);
        }
    };
    auto put = [&](int side) {
#pragma unroll
        for (int i = 0; i < a_each; ++i) {
            int at = t + i * threads, row = at / (TILE_K / 4), k = at % (TILE_K / 4) * 4;
            if (at < TILE_M * TILE_K / 4) {
                sa[side][k][row] = ra[i].x;
                sa[side][k + 1][row] = ra[i].y;
                sa[side][k + 2][row] = ra[i].z;
                sa[side][k + 3][row] = ra[i].w;
            }
        }
#pragma unroll
        for (int i = 0; i < b_each; ++i) {
            int at = t + i * threads;
            if (at < TILE_N * TILE_K / 4) *(float4*)&sb[side][at / (TILE_N / 4)][at % (TILE_N / 4) * 4] = rb[i];
        }
    };
    auto multiply = [&](int side) {
#pragma unroll
        for (int k = 0; k < TILE_K; ++k) {
            float x[THREAD_TILE], y[THREAD_TILE];
#pragma unroll
            for (int i = 0; i < THREAD_TILE; i += 4) {
                *(float4*)(x + i) = *(const float4*)&sa[side][k][ty + i];
                *(float4*)(y + i) = *(const float4*)&sb[side][k][tx + i];
            }
#pragma unroll
            for (int i = 0; i < THREAD_TILE; ++i)
#pragma unroll
                for (int j = 0; j < THREAD_TILE; ++j) sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
        }
    };
    if (DOUBLE_BUFFER) {
        fetch(0);
        put(0);
        __syncthreads();
        int side = 0;
        for (int k0 = TILE_K; k0 < depth; k0 += TILE_K) {
            fetch(k0);
            multiply(side);
            side ^= DOUBLE_BUFFER;
            put(side);
            __syncthreads();
        }
        multiply(side);
    } else {
        for (int k0 = 0; k0 < depth; k0 += TILE_K) {
            fetch(k0);
            put(0);
            __syncthreads();
            multiply(0);
            __syncthreads();
        }
    }
#pragma unroll
    for (int i = 0; i < THREAD_TILE; ++i)
#pragma unroll
        for (int j = 0; j < THREAD_TILE; j += 4)
            *(float4*)(c + (m0 + ty + i) * columns + n0 + tx + j) =
                make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}
