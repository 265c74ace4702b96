// Seven-point stencil: a column of threads marches through DEPTH_EACH planes and keeps three values of z in
// registers; the neighbours in the plane come from memory or from a tile in shared memory.
extern "C" __global__ void stencil_march(const float* __restrict__ input, float* __restrict__ output) {
    constexpr int pitch = 258, plane = 258 * 258;
    __shared__ float tile[USE_SHARED ? BLOCK_Y + 2 : 1][BLOCK_X + 2];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * BLOCK_X + tx, y = blockIdx.y * BLOCK_Y + ty, z0 = blockIdx.z * DEPTH_EACH;
    const float* at = input + (size_t)(z0 + 1) * plane + (y + 1) * pitch + x + 1;
    float* to = output + ((size_t)z0 * 256 + y) * 256 + x;
    float below = at[-plane], here = at[0];
    for (int z = 0; z < DEPTH_EACH; ++z) {
        float above = at[plane], sides;
        if (USE_SHARED) {
            __syncthreads();
            tile[ty + 1][tx + 1] = here;
            if (tx == 0) tile[ty + 1][0] = at[-1];
            if (tx == BLOCK_X - 1) tile[ty + 1][BLOCK_X + 1] = at[1];
            if (ty == 0) tile[0][tx + 1] = at[-pitch];
            if (ty == BLOCK_Y - 1) tile[BLOCK_Y + 1][tx + 1] = at[pitch];
            __syncthreads();
            sides = tile[ty + 1][tx] + tile[ty + 1][tx + 2] + tile[ty][tx + 1] + tile[ty + 2][tx + 1];
        } else {
            sides = at[-1] + at[1] + at[-pitch] + at[pitch];
        }
        *to = 0.4f * here + 0.1f * (sides + below + above);
        below = here;
        here = above;
        at += plane;
        to += 256 * 256;
    }
}
