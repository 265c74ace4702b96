// Edit distance of two strings of LENGTH letters a thread by dynamic programming over one row.
// Unrolled, the row lives in registers; otherwise the compiler puts it into local memory.
extern "C" __global__ void edit_distance(const unsigned char* __restrict__ first,
                                         const unsigned char* __restrict__ second, int* __restrict__ distance) {
    constexpr int unroll = UNROLLED ? LENGTH : 1;
    int t = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    int row[LENGTH + 1];
#pragma unroll unroll
    for (int j = 0; j <= LENGTH; ++j) row[j] = j;
#pragma unroll 1
    for (int i = 0; i < LENGTH; ++i) {
        int letter = first[i * 32768 + t], diagonal = row[0], left = i + 1;
        row[0] = left;
#pragma unroll unroll
        for (int j = 1; j <= LENGTH; ++j) {
            int substitute = diagonal + (letter != second[(j - 1) * 32768 + t]);
            diagonal = row[j];
            left = min(min(diagonal, left) + 1, substitute);
            row[j] = left;
        }
    }
    distance[t] = row[LENGTH];
}
