constexpr int ROWS = 2097152 / D, TILES = ROWS / TILE, SIDE = D / MICRO, THREADS = SIDE * SIDE;

struct alignas(MICRO * 4) Pack { float v[MICRO]; };

extern "C" __global__ void __launch_bounds__(THREADS) tall_skinny_gram(const float* __restrict__ a, float* __restrict__ gram)
{
    __shared__ __align__(16) float rows[TILE][D];
    const int ty = threadIdx.x / SIDE, tx = threadIdx.x % SIDE;
    float acc[MICRO][MICRO] = {};
    for (int t = blockIdx.x; t < TILES; t += gridDim.x) {
        const float4* from = reinterpret_cast<const float4*>(a + (size_t)t * TILE * D);
        for (int i = threadIdx.x; i < TILE * D / 4; i += THREADS) reinterpret_cast<float4*>(rows[0])[i] = from[i];
        __syncthreads();
#pragma unroll 8
        for (int r = 0; r < TILE; ++r) {
            const Pack x = *reinterpret_cast<const Pack*>(&rows[r][ty * MICRO]);
            const Pack y = *reinterpret_cast<const Pack*>(&rows[r][tx * MICRO]);
#pragma unroll
            for (int i = 0; i < MICRO; ++i)
#pragma unroll
                for (int j = 0; j < MICRO; ++j) acc[i][j] += x.v[i] * y.v[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < MICRO; ++i)
#pragma unroll
        for (int j = 0; j < MICRO; ++j) atomicAdd(gram + (ty * MICRO + i) * D + tx * MICRO + j, acc[i][j]);
}
