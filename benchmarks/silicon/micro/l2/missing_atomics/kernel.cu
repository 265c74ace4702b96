// Atomics whose lines L2 does not have: each warp adds to ROW_BYTES in a row, at random rows of a table of MEGABYTES
// MiB. With WIDTH 4 a lane adds four floats at once. READS: how many bytes a lane reads, in a row, beside each add.
__device__ unsigned hash(unsigned x) {
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

extern "C" __global__ void missing_atomics(float* table, const float* __restrict__ input, int rows_each) {
    constexpr unsigned rows = MEGABYTES * 1048576u / ROW_BYTES, row_floats = ROW_BYTES / 4;
    const int lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int r = 0; r < rows_each; ++r) {
        float* row = table + (size_t)(hash(warp * rows_each + r) % rows) * row_floats;
        for (int i = lane; i < row_floats; i += 32) {
            float x = 1.0f;
            if (READS) x = input[((size_t)warp * rows_each + r) * row_floats + i];
            atomicAdd(row + i, x);
        }
    }
}
