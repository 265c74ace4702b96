// Direct Coulomb summation: 512 atoms onto 512 x 512 points. Points of a thread lie a block apart, so that stores are
// coalesced; dy and dz of an atom serve all of them.
extern "C" __global__ void coulomb_slice(const float4* __restrict__ atoms, float* __restrict__ potential, float spacing,
                                         float z)
{
    constexpr int BLOCK_Y = 128 / BLOCK_X, ATOMS = 512;
    const int x0 = blockIdx.x * BLOCK_X * POINTS_EACH + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    const float py = y * spacing;
    float energy[POINTS_EACH];
#pragma unroll
    for (int i = 0; i < POINTS_EACH; ++i) energy[i] = 0.0f;
#if IN_SHARED
    __shared__ float4 held[256];
    for (int first = 0; first < ATOMS; first += 256) {
        __syncthreads();
        for (int i = threadIdx.y * BLOCK_X + threadIdx.x; i < 256; i += 128) held[i] = atoms[first + i];
        __syncthreads();
        const float4* source = held;
        const int count = 256;
#else
    {
        const float4* source = atoms;
        const int count = ATOMS;
#endif
        for (int a = 0; a < count; ++a) {
            const float4 atom = source[a];
            const float dy = py - atom.y, dz = z - atom.z, dyz = dy * dy + dz * dz;
            float dx = x0 * spacing - atom.x;
#pragma unroll
            for (int i = 0; i < POINTS_EACH; ++i) {
                energy[i] += atom.w * rsqrtf(dx * dx + dyz);
                dx += BLOCK_X * spacing;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < POINTS_EACH; ++i) potential[y * 512 + x0 + i * BLOCK_X] = energy[i];
}
