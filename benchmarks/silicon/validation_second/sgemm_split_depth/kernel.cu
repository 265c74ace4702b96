// Split-K product: 256 x 8192 by 8192 x 256. Block z takes a part of the depth and writes its sum to a slice of
// the workspace, or adds it to the first slice.
extern "C" __global__ void sgemm_split_depth(const float* __restrict__ a, const float* __restrict__ b,
                                             float* __restrict__ c)
{
    constexpr int PER = TILE / 16, DEPTH = 16, PART = 8192 / SPLITS;
    __shared__ float ta[DEPTH][TILE + 4], tb[DEPTH][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    const int m0 = blockIdx.y * TILE, n0 = blockIdx.x * TILE, k_begin = blockIdx.z * PART;
    float acc[PER][PER];
    for (int i = 0; i < PER; i++)
        for (int j = 0; j < PER; j++) acc[i][j] = 0;

    for (int k0 = k_begin; k0 < k_begin + PART; k0 += DEPTH) {
#pragma unroll
        for (int e = tid; e < TILE * DEPTH; e += 256) {
            ta[e % DEPTH][e / DEPTH] = a[(m0 + e / DEPTH) * 8192 + k0 + e % DEPTH];
            tb[e / TILE][e % TILE] = b[(k0 + e / TILE) * 256 + n0 + e % TILE];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++)
#pragma unroll
            for (int i = 0; i < PER; i++)
#pragma unroll
                for (int j = 0; j < PER; j++) acc[i][j] += ta[k][ty * PER + i] * tb[k][tx * PER + j];
        __syncthreads();
    }
    float* slice = c + (ATOMICS ? 0 : blockIdx.z * 65536);
#pragma unroll
    for (int i = 0; i < PER; i++)
#pragma unroll
        for (int j = 0; j < PER; j++) {
            float* at = &slice[(m0 + ty * PER + i) * 256 + n0 + tx * PER + j];
            if (ATOMICS) atomicAdd(at, acc[i][j]);
            else *at = acc[i][j];
        }
}
