// What L2 gives if some SMs read the same lines at the same time: each block of an SM reads all of `data` past L1, round
// after round, by 16 bytes a lane. GROUP blocks begin at the same place, the others elsewhere: APART 0, blocks in a row;
// 1, blocks as far apart as there are groups.
extern "C" __global__ void read_together(const float4* __restrict__ data, float* out, int rounds) {
    const int groups = (gridDim.x + GROUP - 1) / GROUP, group = APART ? blockIdx.x % groups : blockIdx.x / GROUP;
    const int vectors = MEGABYTES * 65536, begin = (long)vectors / 256 * group / groups * 256;
    float sum = 0;
    for (int r = 0; r < rounds; ++r)
#pragma unroll 4
        for (int i = threadIdx.x; i < vectors; i += BLOCK_SIZE) {
            int at = begin + i;
            if (at >= vectors) at -= vectors;
            const float4 x = __ldcg(data + at);
            sum += x.x + x.y + x.z + x.w;
        }
    if (sum == 12345.0f) out[0] = sum;
}
