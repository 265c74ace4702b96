// blockIdx.y is the cloud; coordinates x, y, z of a point together. Places left are filled with the first point found.
constexpr int POINTS = 2048, TILE = 512, U = UNROLL;

extern "C" __global__ void __launch_bounds__(THREADS)
ball_query_points(const float* __restrict__ points, const float* __restrict__ centres, int* __restrict__ found, float radius)
{
    const int centre = (blockIdx.y * gridDim.x + blockIdx.x) * THREADS + threadIdx.x;
    const float* cloud = points + blockIdx.y * POINTS * 3;
    const float cx = centres[3 * centre], cy = centres[3 * centre + 1], cz = centres[3 * centre + 2];
    int count = 0;
    int* mine = found + centre * SAMPLES;
    auto look = [&](float x, float y, float z, int i) {
        const float dx = x - cx, dy = y - cy, dz = z - cz;
        if (count < SAMPLES && dx * dx + dy * dy + dz * dz < radius * radius) {
            if (count == 0)
                for (int k = 0; k < SAMPLES; ++k) mine[k] = i;
            mine[count++] = i;
        }
    };
#if STAGED
    __shared__ float tile[TILE * 3];
    for (int start = 0; start < POINTS; start += TILE) {
        if (__syncthreads_and(count == SAMPLES)) break;
        for (int i = threadIdx.x; i < TILE * 3; i += THREADS) tile[i] = cloud[start * 3 + i];
        __syncthreads();
        if (count < SAMPLES) {
#pragma unroll U
            for (int i = 0; i < TILE; ++i) look(tile[3 * i], tile[3 * i + 1], tile[3 * i + 2], start + i);
        }
    }
#else
    for (int i = 0; i < POINTS && count < SAMPLES; i += U) {
#pragma unroll
        for (int u = 0; u < U; ++u) look(cloud[3 * (i + u)], cloud[3 * (i + u) + 1], cloud[3 * (i + u) + 2], i + u);
    }
#endif
}
