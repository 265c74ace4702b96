// Updates a working set in place, which launch after launch stays in L2, nearly does or does not.
// One access of VECTOR floats a thread.
struct alignas(4 * VECTOR) Pack { float v[VECTOR]; };

extern "C" __global__ void l2_resident(Pack* __restrict__ data, float scale) {
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    Pack p = data[i];
#pragma unroll
    for (int k = 0; k < VECTOR; ++k) p.v[k] = fmaf(p.v[k], scale, 0.001f);
    data[i] = p;
}
