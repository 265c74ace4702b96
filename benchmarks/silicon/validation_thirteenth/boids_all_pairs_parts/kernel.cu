// Separation, alignment and cohesion of birds; a block has some birds and an eighth of those that they see.
constexpr int N = 8192, RUN = N / 8, CHUNK = 128;

extern "C" __global__ void __launch_bounds__(THREADS)
boids_all_pairs_parts(const float4* __restrict__ place, const float4* __restrict__ speed, float4* __restrict__ sums)
{
    constexpr int U = UNROLL;
    __shared__ float4 ps[STAGED ? CHUNK : 1], vs[STAGED ? CHUNK : 1];
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x, from = blockIdx.y * RUN;
    float4 own[EACH], pull[EACH], turn[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        own[e] = place[first + e * THREADS];
        pull[e] = turn[e] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
#pragma unroll 1
    for (int c0 = 0; c0 < RUN; c0 += CHUNK) {
        if (STAGED) {
            __syncthreads();
            for (int i = threadIdx.x; i < CHUNK; i += THREADS) {
                ps[STAGED ? i : 0] = place[from + c0 + i];
                vs[STAGED ? i : 0] = speed[from + c0 + i];
            }
            __syncthreads();
        }
#pragma unroll U
        for (int j = 0; j < CHUNK; ++j) {
            const float4 p = STAGED ? ps[STAGED ? j : 0] : place[from + c0 + j], v = STAGED ? vs[STAGED ? j : 0] : speed[from + c0 + j];
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                const float dx = p.x - own[e].x, dy = p.y - own[e].y, dz = p.z - own[e].z, r2 = dx * dx + dy * dy + dz * dz;
                const float seen = r2 < 0.04f ? 1.0f : 0.0f, away = r2 < 0.01f ? seen - 1.5f : seen;
                pull[e].x += away * dx;
                pull[e].y += away * dy;
                pull[e].z += away * dz;
                pull[e].w += seen;
                turn[e].x += seen * v.x;
                turn[e].y += seen * v.y;
                turn[e].z += seen * v.z;
            }
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int at = blockIdx.y * N + first + e * THREADS;
        sums[at] = pull[e];
        sums[8 * N + at] = turn[e];
    }
}
