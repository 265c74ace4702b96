// Finite differences in the time domain: one cell a thread, Z_EACH cells along z one after the other. Layer 0 of
// each axis is a boundary and stays as it is.
extern "C" __global__ void fdtd_electric(float* __restrict__ ex, float* __restrict__ ey, float* __restrict__ ez,
                                         const float* __restrict__ hx, const float* __restrict__ hy,
                                         const float* __restrict__ hz, const float* __restrict__ eps, float dt)
{
    const int sy = 129, sz = 129 * 129;
    const int i = blockIdx.x * BLOCK_X + threadIdx.x + 1, j = blockIdx.y * BLOCK_Y + threadIdx.y + 1;
    for (int k = blockIdx.z * Z_EACH + 1; k <= (blockIdx.z + 1) * Z_EACH; ++k) {
        const int id = k * sz + j * sy + i;
        const float c = MATERIAL ? dt / (1.0f + eps[id]) : dt;
        const float h_x = hx[id], h_y = hy[id], h_z = hz[id];
        ex[id] += c * ((h_z - hz[id - sy]) - (h_y - hy[id - sz]));
        ey[id] += c * ((h_x - hx[id - sz]) - (h_z - hz[id - 1]));
        ez[id] += c * ((h_y - hy[id - 1]) - (h_x - hx[id - sy]));
    }
}
