// Each thread has LOADS loads of 16 bytes under way, each warp those of as many times 512 bytes of its own, in a row or (APART)
// in four parts of 128 bytes, each behind those of the other loads; READERS 2: two blocks that follow each other read the same.
extern "C" __global__ void __launch_bounds__(128) burst_reads(const float4* __restrict__ data, float* __restrict__ out) {
    const unsigned block = READERS == 2 ? (blockIdx.x + 1) / 2 * 2 : blockIdx.x, warp = block * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    const float4* from = data + (size_t)warp * LOADS * 32 + (APART ? lane / 8 * LOADS * 8 + lane % 8 : lane);
    float4 v[LOADS];
#pragma unroll
    for (int i = 0; i < LOADS; ++i) v[i] = __ldcg(from + i * (APART ? 8 : 32));
    float sum = 0;
#pragma unroll
    for (int i = 0; i < LOADS; ++i) sum += v[i].x + v[i].y + v[i].z + v[i].w;
    if (sum == 3.0f) *out = 1;
}
