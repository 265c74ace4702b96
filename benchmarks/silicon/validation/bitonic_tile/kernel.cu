// Bitonic sort of TILE keys a block in shared memory, a barrier after every exchange of pairs.
// With PAYLOAD an index moves with its key.
extern "C" __global__ void bitonic_tile(const float* __restrict__ keys, const int* __restrict__ items,
                                        float* __restrict__ sorted, int* __restrict__ order) {
    __shared__ float key[TILE];
    __shared__ int item[PAYLOAD ? TILE : 1];
    int base = blockIdx.x * TILE;
    for (int i = threadIdx.x; i < TILE; i += BLOCK_SIZE) {
        key[i] = keys[base + i];
        if (PAYLOAD) item[i] = items[base + i];
    }
    for (int size = 2; size <= TILE; size *= 2)
        for (int stride = size / 2; stride; stride /= 2) {
            __syncthreads();
            for (int i = threadIdx.x; i < TILE / 2; i += BLOCK_SIZE) {
                int low = 2 * i - (i & (stride - 1)), high = low + stride;
                bool up = (low & size) == 0;
                float a = key[low], b = key[high];
                if ((a > b) == up) {
                    key[low] = b;
                    key[high] = a;
                    if (PAYLOAD) {
                        int t = item[low];
                        item[low] = item[high];
                        item[high] = t;
                    }
                }
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < TILE; i += BLOCK_SIZE) {
        sorted[base + i] = key[i];
        if (PAYLOAD) order[base + i] = item[i];
    }
}
