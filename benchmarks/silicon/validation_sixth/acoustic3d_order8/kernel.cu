// 256 x 128 x 80 points within arrays of 288 x 136 x 88; points begin at (16, 4, 4).
constexpr int PX = 288, PY = 136, PLANE = PX * PY, R = 4;
constexpr float C0 = -2.8472222f, C1 = 1.6f, C2 = -0.2f, C3 = 0.025396825f, C4 = -0.0017857143f;

extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
acoustic3d_order8(const float* __restrict__ before, const float* __restrict__ now, const float* __restrict__ speed,
                  float* __restrict__ after)
{
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y, z0 = blockIdx.z * CHUNK;
    int at = ((z0 + R) * PY + y + R) * PX + x + 16;
    constexpr float c[5] = {C0, C1, C2, C3, C4};
#if QUEUE
    __shared__ float plane[BLOCK_Y + 2 * R][BLOCK_X + 2 * R];
    const int tx = threadIdx.x + R, ty = threadIdx.y + R;
    float line[2 * R + 1];
#pragma unroll
    for (int i = 0; i < 2 * R; ++i) line[i + 1] = now[at + (i - R) * PLANE];
    for (int z = 0; z < CHUNK; ++z, at += PLANE) {
#pragma unroll
        for (int i = 0; i < 2 * R; ++i) line[i] = line[i + 1];
        line[2 * R] = now[at + R * PLANE];
        __syncthreads();
        plane[ty][tx] = line[R];
        if (threadIdx.y < R) {
            plane[ty - R][tx] = now[at - R * PX];
            plane[ty + BLOCK_Y][tx] = now[at + BLOCK_Y * PX];
        }
        if (threadIdx.x < R) {
            plane[ty][tx - R] = now[at - R];
            plane[ty][tx + BLOCK_X] = now[at + BLOCK_X];
        }
        __syncthreads();
        float sum = 3.0f * c[0] * line[R];
#pragma unroll
        for (int i = 1; i <= R; ++i)
            sum += c[i] * (plane[ty][tx - i] + plane[ty][tx + i] + plane[ty - i][tx] + plane[ty + i][tx] + line[R - i] +
                           line[R + i]);
        after[at] = 2.0f * line[R] - before[at] + speed[at] * sum;
    }
#else
#pragma unroll 2
    for (int z = 0; z < CHUNK; ++z, at += PLANE) {
        const float middle = now[at];
        float sum = 3.0f * c[0] * middle;
#pragma unroll
        for (int i = 1; i <= R; ++i)
            sum += c[i] * (now[at - i] + now[at + i] + now[at - i * PX] + now[at + i * PX] + now[at - i * PLANE] +
                           now[at + i * PLANE]);
        after[at] = 2.0f * middle - before[at] + speed[at] * sum;
    }
#endif
}
