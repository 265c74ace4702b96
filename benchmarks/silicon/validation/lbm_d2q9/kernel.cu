// Lattice Boltzmann, D2Q9: pulls nine populations from the neighbours, relaxes them and writes them.
// A population is a plane of its own, or a cell's nine lie together; periodic edges.
__device__ int place(int x, int y, int k) {
    return INTERLEAVED ? (y * 1024 + x) * 9 + k : k * 1048576 + y * 1024 + x;
}

extern "C" __global__ void lbm_d2q9(const float* __restrict__ input, float* __restrict__ output, float omega) {
    constexpr int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    int x = blockIdx.x * BLOCK_SIZE + threadIdx.x, y = blockIdx.y;
    float f[9], density = 0.0f, u = 0.0f, v = 0.0f;
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        f[k] = input[place((x - cx[k]) & 1023, (y - cy[k]) & 1023, k)];
        density += f[k];
        u += cx[k] * f[k];
        v += cy[k] * f[k];
    }
    u /= density;
    v /= density;
    float square = 1.5f * (u * u + v * v);
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        float weight = k == 0 ? 4.0f / 9.0f : k < 5 ? 1.0f / 9.0f : 1.0f / 36.0f, c = 3.0f * (cx[k] * u + cy[k] * v);
        output[place(x, y, k)] = f[k] + omega * (weight * density * (1.0f + c + 0.5f * c * c - square) - f[k]);
    }
}
