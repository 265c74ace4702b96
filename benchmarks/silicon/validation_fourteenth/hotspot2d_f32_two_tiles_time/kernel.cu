// Tiles overlap by STEPS cells on each side; a step reads one buffer and writes the other.
constexpr int SIDE = 2048, TX = 32, EACH = TY / BY, OX = TX - 2 * STEPS, OY = TY - 2 * STEPS;
constexpr float CX = 0.1f, CY = 0.12f, CZ = 0.05f, AMBIENT = 0.3f;

extern "C" __global__ void __launch_bounds__(TX * BY)
hotspot2d_f32_two_tiles_time(const float* __restrict__ temp, const float* __restrict__ power, float* __restrict__ out)
{
    __shared__ float tile[2][TY][TX];
    const int tx = threadIdx.x, col = blockIdx.x * OX + tx - STEPS, row0 = blockIdx.y * OY - STEPS, c = min(max(col, 0), SIDE - 1);
    float heat[EACH];
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const int y = threadIdx.y + i * BY, at = min(max(row0 + y, 0), SIDE - 1) * SIDE + c;
        tile[0][y][tx] = temp[at];
        if (KEPT) heat[i] = power[at];
    }
    __syncthreads();
    const int west = col <= 0 || tx == 0 ? tx : tx - 1, east = col >= SIDE - 1 || tx == TX - 1 ? tx : tx + 1;
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            const int y = threadIdx.y + i * BY, row = row0 + y;
            const int north = row <= 0 || y == 0 ? y : y - 1, south = row >= SIDE - 1 || y == TY - 1 ? y : y + 1;
            const float (*from)[TX] = tile[s % 2];
            const float p = KEPT ? heat[i] : power[min(max(row, 0), SIDE - 1) * SIDE + c], f = from[y][tx];
            tile[1 - s % 2][y][tx] = f + 0.05f * p + CX * (from[y][west] + from[y][east] - 2.0f * f) + CY * (from[north][tx] + from[south][tx] - 2.0f * f) + CZ * (AMBIENT - f);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const int y = threadIdx.y + i * BY, row = row0 + y;
        if (tx >= STEPS && tx < TX - STEPS && col < SIDE && y >= STEPS && y < TY - STEPS && row < SIDE) out[row * SIDE + col] = tile[STEPS % 2][y][tx];
    }
}
