// 48 candidates an atom, taken if within the cutoff in a periodic box of side 3; lists are interleaved by LANES.
constexpr int ATOMS = 65536, CANDIDATES = 48, PIECES = 256;
constexpr float SIDE = 3.0f, CUTOFF2 = 1.96f;

extern "C" __global__ void __launch_bounds__(THREADS)
eam_density_list(const float4* __restrict__ positions, const unsigned* __restrict__ offsets,
                 const float4* __restrict__ pieces, float* __restrict__ density)
{
#if TABLE_SHARED
    __shared__ float4 table[PIECES];
    for (int i = threadIdx.x; i < PIECES; i += THREADS) table[i] = pieces[i];
    __syncthreads();
#else
    const float4* table = pieces;
#endif
    const int thread = blockIdx.x * THREADS + threadIdx.x, atom = thread / LANES;
    const float4 own = positions[atom];
    float sum = 0.0f;
#pragma unroll 2
    for (int k = 0; k < CANDIDATES / LANES; ++k) {
        const int other = atom + (int)offsets[k * (ATOMS * LANES) + thread] - 1024 & ATOMS - 1;
        const float4 p = positions[other];
        float dx = p.x - own.x, dy = p.y - own.y, dz = p.z - own.z;
        dx = (dx - rintf(dx)) * SIDE;
        dy = (dy - rintf(dy)) * SIDE;
        dz = (dz - rintf(dz)) * SIDE;
        const float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < CUTOFF2 && r2 > 0.0f) {
            const float u = sqrtf(r2 / CUTOFF2) * PIECES;
            const int piece = min((int)u, PIECES - 1);
            const float f = u - piece;
            const float4 c = table[piece];
            sum += ((c.x * f + c.y) * f + c.z) * f + c.w;
        }
    }
#pragma unroll
    for (int d = LANES / 2; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x % LANES == 0) density[atom] = sum;
}
