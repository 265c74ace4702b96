// Inclusive scan of a block, Hillis and Steele in two shared buffers, a barrier a step.
extern "C" __global__ void scan_shared(const int* __restrict__ input, int* __restrict__ out) {
    __shared__ int buffer[2][BLOCK_SIZE];
    int side = 0;
    for (int chunk = 0; chunk < CHUNKS; ++chunk) {
        int i = (blockIdx.x * CHUNKS + chunk) * BLOCK_SIZE + threadIdx.x;
        buffer[side][threadIdx.x] = input[i];
        __syncthreads();
        for (int offset = 1; offset < BLOCK_SIZE; offset *= 2) {
            int value = buffer[side][threadIdx.x];
            if (threadIdx.x >= offset) value += buffer[side][threadIdx.x - offset];
            buffer[side ^ 1][threadIdx.x] = value;
            side ^= 1;
            __syncthreads();
        }
        out[i] = buffer[side][threadIdx.x];
        side ^= 1;
    }
}
