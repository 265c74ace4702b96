// What L2 gives if SMs read the same lines, and how many of their requests go on to L2 together: each block of an SM
// reads MEGABYTES MiB by 16 bytes a lane, round after round. WHO says where blocks begin and what they read:
// 0: each its own part only; 1: all the whole, each from another part on; 2: all the whole, all from the same part on;
// 3: all the whole, blocks 2 k and 2 k + 1 from the same part on; 4: as 3, blocks k and k + 66; 5: as 3, 16 blocks in a row.
extern "C" __global__ void shared_reads(const float4* __restrict__ data, float* out, int rounds) {
    const int vectors = MEGABYTES * 65536 / gridDim.x * gridDim.x, part = vectors / gridDim.x;
#if WHO == 0
    const int begin = blockIdx.x * part, length = part, times = rounds * gridDim.x;
#else
    const int length = vectors, times = rounds;
#if WHO == 1
    const int begin = blockIdx.x * part;
#elif WHO == 2
    const int begin = 0;
#elif WHO == 3
    const int begin = blockIdx.x / 2 * 2 * part;
#elif WHO == 4
    const int begin = blockIdx.x % 66 * 2 * part;
#else
    const int begin = blockIdx.x / 16 * 16 * part;
#endif
#endif
    float sum = 0;
    for (int r = 0; r < times; ++r)
#pragma unroll 4
        for (int i = threadIdx.x; i < length; i += BLOCK_SIZE) {
            int at = begin + i;
            if (at >= vectors) at -= vectors;
            const float4 x = __ldcg(data + at);
            sum += x.x + x.y + x.z + x.w;
        }
    if (sum == 12345.0f) out[0] = sum;
}
