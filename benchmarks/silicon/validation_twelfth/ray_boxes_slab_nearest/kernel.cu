// Nearest of 1,024 boxes for each ray by slabs, RAYS rays a thread, boxes from shared memory or not.
constexpr int BOXES = 1024, TILE = 256;

extern "C" __global__ void __launch_bounds__(THREADS)
ray_boxes_slab_nearest(const float* __restrict__ ray, const float4* __restrict__ box, float* __restrict__ distance, int* __restrict__ hit)
{
    __shared__ float4 tile[STAGED ? 2 * TILE : 1];
    constexpr int U = UNROLL;
    const int first = blockIdx.x * THREADS * RAYS + threadIdx.x, count = gridDim.x * THREADS * RAYS;
    float o[RAYS][3], inverse[RAYS][3], nearest[RAYS];
    int which[RAYS];
#pragma unroll
    for (int r = 0; r < RAYS; ++r) {
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            o[r][i] = ray[i * count + first + r * THREADS];
            inverse[r][i] = __fdividef(1.0f, ray[(3 + i) * count + first + r * THREADS] - 0.5f);
        }
        nearest[r] = 1.0e30f;
        which[r] = -1;
    }
#pragma unroll 1
    for (int t = 0; t < BOXES; t += TILE) {
        if (STAGED) {
            __syncthreads();
            for (int i = threadIdx.x; i < 2 * TILE; i += THREADS) tile[STAGED ? i : 0] = box[2 * t + i];
            __syncthreads();
        }
#pragma unroll U
        for (int k = 0; k < TILE; ++k) {
            const float4 c = STAGED ? tile[STAGED ? 2 * k : 0] : box[2 * (t + k)], h = STAGED ? tile[STAGED ? 2 * k + 1 : 0] : box[2 * (t + k) + 1];
            const float centre[3] = {c.x, c.y, c.z}, half[3] = {0.05f * h.x, 0.05f * h.y, 0.05f * h.z};
#pragma unroll
            for (int r = 0; r < RAYS; ++r) {
                float enter = 0.0f, leave = nearest[r];
#pragma unroll
                for (int i = 0; i < 3; ++i) {
                    const float a = (centre[i] - o[r][i]) * inverse[r][i], b = half[i] * fabsf(inverse[r][i]);
                    enter = fmaxf(enter, a - b);
                    leave = fminf(leave, a + b);
                }
                if (enter < leave) {
                    nearest[r] = enter;
                    which[r] = t + k;
                }
            }
        }
    }
#pragma unroll
    for (int r = 0; r < RAYS; ++r) {
        distance[first + r * THREADS] = nearest[r];
        hit[first + r * THREADS] = which[r];
    }
}
