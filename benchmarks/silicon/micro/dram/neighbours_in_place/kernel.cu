// Finite differences of three fields, in place or into others: rows of 128 cells begin FIRST words into a line, so that warps share lines.
extern "C" __global__ void neighbours_in_place(float* __restrict__ ex, float* __restrict__ ey, float* __restrict__ ez,
                                               float* __restrict__ ox, float* __restrict__ oy, float* __restrict__ oz,
                                               const float* __restrict__ hx, const float* __restrict__ hy,
                                               const float* __restrict__ hz, float dt) {
    const int sy = PITCH, sz = PITCH * 129;
    const int i = blockIdx.x * BLOCK_X + threadIdx.x + FIRST, j = blockIdx.y * BLOCK_Y + threadIdx.y + 1;
    for (int k = blockIdx.z * 8 + 1; k <= (blockIdx.z + 1) * 8; ++k) {
        const int id = k * sz + j * sy + i;
        const float h_x = hx[id], h_y = hy[id], h_z = hz[id];
        const float a = ex[id] + dt * ((h_z - hz[id - sy]) - (h_y - hy[id - sz]));
        const float b = ey[id] + dt * ((h_x - hx[id - sz]) - (h_z - hz[id - 1]));
        const float c = ez[id] + dt * ((h_y - hy[id - 1]) - (h_x - hx[id - sy]));
#if WRITE == 0
        if (a + b + c == 12345.0f) ox[id] = a;
#elif WRITE == 1
        ex[id] = a, ey[id] = b, ez[id] = c;
#else
        ox[id] = a, oy[id] = b, oz[id] = c;
#endif
    }
}
