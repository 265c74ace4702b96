// Distances of all pairs of particles in a periodic box counted in bins, as for a radial distribution function. A tile
// of particles in shared memory, one or two particles a thread, one or four copies of the bins.
constexpr int N = 4096, TILE = 256;

extern "C" __global__ void __launch_bounds__(THREADS)
rdf_histogram(const float4* __restrict__ particles, unsigned* __restrict__ counts)
{
    __shared__ float4 others[TILE];
    __shared__ unsigned bins[COPIES][BINS];
    const int t = threadIdx.x;
    for (int i = t; i < COPIES * BINS; i += THREADS) bins[0][i] = 0;
    for (int i = t; i < TILE; i += THREADS) others[i] = particles[blockIdx.y * TILE + i];
    float4 own[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) own[e] = particles[(blockIdx.x * EACH + e) * THREADS + t];
    __syncthreads();
    unsigned* mine = bins[t / 32 % COPIES];
#pragma unroll 4
    for (int j = 0; j < TILE; ++j) {
        const float4 p = others[j];
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            float dx = own[e].x - p.x, dy = own[e].y - p.y, dz = own[e].z - p.z;
            dx -= rintf(dx);
            dy -= rintf(dy);
            dz -= rintf(dz);
            const float square = dx * dx + dy * dy + dz * dz;
            if (square < 0.25f) {
                const int bin = (int)(sqrtf(square) * (2.0f * BINS));
                atomicAdd(mine + min(bin, BINS - 1), 1u);
            }
        }
    }
    __syncthreads();
    for (int i = t; i < BINS; i += THREADS) {
        unsigned sum = 0;
#pragma unroll
        for (int c = 0; c < COPIES; ++c) sum += bins[c][i];
        if (sum) atomicAdd(counts + i, sum);
    }
}
