// u(t + 1) = 2 u - u(t - 1) + c laplace(u) on 256 x 256 x 128 cells with four cells of margin on every side. The block
// walks along z; a thread's column is a queue in registers, the plane lies in shared memory with its halo.
constexpr int R = ORDER / 2, PITCH = 264, PLANE = 264 * 264;

extern "C" __global__ void wave_order(const float* __restrict__ now, const float* __restrict__ before,
                                      float* __restrict__ after)
{
    constexpr float c[5] = {ORDER == 8 ? -2.84722222f : -2.5f, ORDER == 8 ? 1.6f : 1.33333333f,
                            ORDER == 8 ? -0.2f : -0.08333333f, 0.025396825f, -0.001785714f};
    __shared__ float s[BLOCK_Y + 2 * R][BLOCK_X + 2 * R];
    const int tx = threadIdx.x + R, ty = threadIdx.y + R;
    const int x = blockIdx.x * BLOCK_X + threadIdx.x + 4, y = blockIdx.y * BLOCK_Y + threadIdx.y + 4;
    int at = (blockIdx.z * CHUNK + 4) * PLANE + y * PITCH + x;

    float queue[2 * R + 1];
#pragma unroll
    for (int i = 0; i < 2 * R; i++) queue[i + 1] = now[at + (i - R) * PLANE];

    for (int z = 0; z < CHUNK; z++, at += PLANE) {
#pragma unroll
        for (int i = 0; i < 2 * R; i++) queue[i] = queue[i + 1];
        queue[2 * R] = now[at + R * PLANE];

        __syncthreads();
        if (threadIdx.y < R) {
            s[threadIdx.y][tx] = now[at - R * PITCH];
            s[threadIdx.y + BLOCK_Y + R][tx] = now[at + BLOCK_Y * PITCH];
        }
        if (threadIdx.x < R) {
            s[ty][threadIdx.x] = now[at - R];
            s[ty][threadIdx.x + BLOCK_X + R] = now[at + BLOCK_X];
        }
        s[ty][tx] = queue[R];
        __syncthreads();

        float laplace = 3.0f * c[0] * queue[R];
#pragma unroll
        for (int i = 1; i <= R; i++)
            laplace += c[i] * (queue[R - i] + queue[R + i] + s[ty][tx - i] + s[ty][tx + i]
                               + s[ty - i][tx] + s[ty + i][tx]);
        after[at] = 2.0f * queue[R] - before[at] + 0.1f * laplace;
    }
}
