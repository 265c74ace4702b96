// All-pairs gravity, bodies in shared tiles of a block, rsqrtf.
extern "C" __global__ void nbody(const float4* __restrict__ bodies, float4* __restrict__ forces, int n) {
    constexpr int unroll = UNROLL;
    __shared__ float4 tile[BLOCK_SIZE];
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    float4 me = bodies[i];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    for (int base = 0; base < n; base += BLOCK_SIZE) {
        tile[threadIdx.x] = bodies[base + threadIdx.x];
        __syncthreads();
#pragma unroll unroll
        for (int j = 0; j < BLOCK_SIZE; ++j) {
            float4 other = tile[j];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
            float weight = other.w * inverse * inverse * inverse;
            fx += dx * weight;
            fy += dy * weight;
            fz += dz * weight;
        }
        __syncthreads();
    }
    forces[i] = make_float4(fx, fy, fz, 0.0f);
}
