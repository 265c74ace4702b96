// Heat on a chip: STEPS time steps on a tile in shared memory whose valid part shrinks by a ring each step.
// Tiles overlap by the rings; edges repeat their value.
extern "C" __global__ void hotspot_temporal(const float* __restrict__ heat, const float* __restrict__ power,
                                            float* __restrict__ output) {
    constexpr int width = 2048, height = 2048;
    __shared__ float now[TILE_Y][TILE_X];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * (TILE_X - 2 * STEPS) + tx - STEPS, y = blockIdx.y * (TILE_Y - 2 * STEPS) + ty - STEPS;
    int cx = min(max(x, 0), width - 1), cy = min(max(y, 0), height - 1);
    float value = heat[cy * width + cx], source = power[cy * width + cx] * 0.05f;
    now[ty][tx] = value;
    __syncthreads();
#pragma unroll
    for (int s = 1; s <= STEPS; ++s) {
        bool valid = tx >= s && tx < TILE_X - s && ty >= s && ty < TILE_Y - s;
        if (valid) {
            float west = x > 0 ? now[ty][tx - 1] : value, east = x < width - 1 ? now[ty][tx + 1] : value;
            float north = y > 0 ? now[ty - 1][tx] : value, south = y < height - 1 ? now[ty + 1][tx] : value;
            value += source + 0.1f * (north + south - 2.0f * value) + 0.15f * (west + east - 2.0f * value) +
                     0.01f * (0.5f - value);
        }
        __syncthreads();
        if (valid) now[ty][tx] = value;
        __syncthreads();
    }
    bool inner = tx >= STEPS && tx < TILE_X - STEPS && ty >= STEPS && ty < TILE_Y - STEPS;
    if (inner && x < width && y < height) output[y * width + x] = value;
}
