// Weighted sum of the 27 points of a 3 x 3 x 3 box, one result a thread, all reads through L1.
// Four weights by the number of coordinates that differ from the centre's.
extern "C" __global__ void stencil_box(const float* __restrict__ input, float* __restrict__ output) {
    constexpr int pitch = 258;
    int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    int z = blockIdx.z * 2 + threadIdx.z;
    float sums[4] = {};
#pragma unroll
    for (int k = 0; k < 3; ++k)
#pragma unroll
        for (int j = 0; j < 3; ++j)
#pragma unroll
            for (int i = 0; i < 3; ++i)
                sums[(i != 1) + (j != 1) + (k != 1)] += input[((z + k) * pitch + y + j) * pitch + x + i];
    output[(z * 256 + y) * 256 + x] = 0.4f * sums[0] + 0.05f * sums[1] + 0.02f * sums[2] + 0.0075f * sums[3];
}
