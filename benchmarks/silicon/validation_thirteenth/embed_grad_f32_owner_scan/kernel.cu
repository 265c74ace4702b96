// Gradient of an embedding table; each warp owns rows and finds their tokens by ballots, so no atomics are needed.
constexpr int TOKENS = 8192, CHUNK = 2048;

extern "C" __global__ void __launch_bounds__(32 * WARPS)
embed_grad_f32_owner_scan(const int* __restrict__ token, const float4* __restrict__ dy, float4* __restrict__ grad)
{
    __shared__ int kept[STAGED ? CHUNK : 1];
    const int lane = threadIdx.x, row0 = (blockIdx.x * WARPS + threadIdx.y) * ROWS;
    float4 sum[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) sum[r] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 1
    for (int c0 = 0; c0 < TOKENS; c0 += CHUNK) {
        if (STAGED) {
            __syncthreads();
            for (int i = threadIdx.y * 32 + lane; i < CHUNK; i += 32 * WARPS) kept[STAGED ? i : 0] = token[c0 + i];
            __syncthreads();
        }
#pragma unroll 1
        for (int t0 = 0; t0 < CHUNK; t0 += 32 * PER) {
            int own[PER];
#pragma unroll
            for (int u = 0; u < PER; ++u) own[u] = STAGED ? kept[STAGED ? t0 + u * 32 + lane : 0] : token[c0 + t0 + u * 32 + lane];
#pragma unroll
            for (int u = 0; u < PER; ++u)
#pragma unroll
                for (int r = 0; r < ROWS; ++r) {
                    unsigned hits = __ballot_sync(~0u, own[u] == row0 + r);
                    while (hits) {
                        const int at = c0 + t0 + u * 32 + __ffs(hits) - 1;
                        hits &= hits - 1;
                        const float4 g = dy[at * 32 + lane];
                        sum[r].x += g.x;
                        sum[r].y += g.y;
                        sum[r].z += g.z;
                        sum[r].w += g.w;
                    }
                }
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) grad[(row0 + r) * 32 + lane] = sum[r];
}
