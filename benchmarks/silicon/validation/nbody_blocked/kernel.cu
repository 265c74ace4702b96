// Gravity of 4,096 bodies on 8,192: BODIES_EACH bodies a thread against tiles of the others in shared memory.
// The loop over a tile is unrolled UNROLL times.
extern "C" __global__ void nbody_blocked(const float4* __restrict__ bodies, float4* __restrict__ forces) {
    constexpr int unroll = UNROLL;
    __shared__ float4 tile[BLOCK_SIZE];
    float4 mine[BODIES_EACH], sum[BODIES_EACH];
#pragma unroll
    for (int b = 0; b < BODIES_EACH; ++b) {
        mine[b] = bodies[(blockIdx.x * BODIES_EACH + b) * BLOCK_SIZE + threadIdx.x];
        sum[b] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    for (int j0 = 0; j0 < 4096; j0 += BLOCK_SIZE) {
        __syncthreads();
        tile[threadIdx.x] = bodies[j0 + threadIdx.x];
        __syncthreads();
#pragma unroll unroll
        for (int j = 0; j < BLOCK_SIZE; ++j) {
            float4 other = tile[j];
#pragma unroll
            for (int b = 0; b < BODIES_EACH; ++b) {
                float x = other.x - mine[b].x, y = other.y - mine[b].y, z = other.z - mine[b].z;
                float inverse = rsqrtf(x * x + y * y + z * z + 0.01f);
                float s = other.w * inverse * inverse * inverse;
                sum[b].x = fmaf(x, s, sum[b].x);
                sum[b].y = fmaf(y, s, sum[b].y);
                sum[b].z = fmaf(z, s, sum[b].z);
            }
        }
    }
#pragma unroll
    for (int b = 0; b < BODIES_EACH; ++b)
        forces[(blockIdx.x * BODIES_EACH + b) * BLOCK_SIZE + threadIdx.x] = sum[b];
}
