// Seven-point stencil that marches along z with the column held in registers.
extern "C" __global__ void stencil_3d(const float* __restrict__ input, float* __restrict__ out, int nx, int ny, int nz) {
    constexpr int unroll = UNROLL;
    int x = blockIdx.x * BLOCK_X + threadIdx.x;
    int y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1) return;
    int plane = nx * ny;
    int z = 1 + blockIdx.z * DEPTH;
    int last = min(z + DEPTH, nz - 1);
    int i = z * plane + y * nx + x;
    float below = input[i - plane];
    float centre = input[i];
#pragma unroll unroll
    for (; z < last; ++z, i += plane) {
        float above = input[i + plane];
        out[i] = 0.4f * centre + 0.1f * (below + above + input[i - 1] + input[i + 1] + input[i - nx] + input[i + nx]);
        below = centre;
        centre = above;
    }
}
