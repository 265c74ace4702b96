// Warps read LINES lines each of 4 MiB in L2, all of a block at once, then add for PAUSE additions; blocks begin apart by up to as
// many if they DRIFT. The rows are drawn by a hash, so that SMs read different ones.
constexpr unsigned ROWS = (4 << 20) / (LINES * 128);

extern "C" __global__ void __launch_bounds__(THREADS) bursts_of_blocks(const float4* __restrict__ data, float* __restrict__ out, int rounds) {
    const unsigned warp = (blockIdx.x * THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    const int late = DRIFT ? (blockIdx.x * 2654435761u >> 8) % (PAUSE + 64) : 0;
    for (int i = 0; i < late; ++i) asm volatile("add.f32 %0, %0, %0;" : "+f"(sum));
    for (int r = 0; r < rounds; ++r) {
        unsigned row = (warp * 977 + r * 131071) * 2654435761u;
        row = (row ^ row >> 15) % ROWS;
        float4 v[LINES / 4];
#pragma unroll
        for (int i = 0; i < LINES / 4; ++i) v[i] = __ldcg(data + row * (LINES * 8) + i * 32 + lane);
#pragma unroll
        for (int i = 0; i < LINES / 4; ++i) sum += v[i].x + v[i].y + v[i].z + v[i].w;
#pragma unroll 8
        for (int i = 0; i < PAUSE; ++i) asm volatile("add.f32 %0, %0, %0;" : "+f"(sum));
        __syncthreads();
    }
    if (sum == 3.0f) *out = sum;
}
