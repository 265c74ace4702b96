// Shared memory decides how many blocks an SM holds: a latency-bound body under dynamic shared memory of many sizes.
extern "C" __global__ void shared_occupancy(const float* __restrict__ input, float* __restrict__ out, int n, int steps) {
    extern __shared__ float room[];
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    room[threadIdx.x] = 0.0f;
    for (int s = 0; s < steps; ++s) room[threadIdx.x] += input[(i + s * 4096) % n] * 0.5f;
    __syncthreads();
    out[i] = room[BLOCK_SIZE - 1 - threadIdx.x];
}
