// All-pairs gravity without shared memory: every thread reads every body (one address a warp), TARGETS bodies a thread.
extern "C" __global__ void nbody_global(const float4* __restrict__ bodies, float4* __restrict__ forces, int n) {
    constexpr int unroll = UNROLL;
    int first = blockIdx.x * (BLOCK_SIZE * TARGETS) + threadIdx.x;
    float4 me[TARGETS];
    float fx[TARGETS] = {}, fy[TARGETS] = {}, fz[TARGETS] = {};
#pragma unroll
    for (int t = 0; t < TARGETS; ++t) me[t] = bodies[first + t * BLOCK_SIZE];
#pragma unroll unroll
    for (int j = 0; j < n; ++j) {
        float4 other = bodies[j];
#pragma unroll
        for (int t = 0; t < TARGETS; ++t) {
            float dx = other.x - me[t].x, dy = other.y - me[t].y, dz = other.z - me[t].z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
            float weight = other.w * inverse * inverse * inverse;
            fx[t] += dx * weight;
            fy[t] += dy * weight;
            fz[t] += dz * weight;
        }
    }
#pragma unroll
    for (int t = 0; t < TARGETS; ++t) forces[first + t * BLOCK_SIZE] = make_float4(fx[t], fy[t], fz[t], 0.0f);
}
