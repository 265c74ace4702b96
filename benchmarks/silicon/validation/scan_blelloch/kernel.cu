// Work-efficient exclusive scan (Blelloch) of 2 BLOCK_SIZE elements a block in shared memory.
// PAD puts a gap after every 32 elements; the sums are floats or doubles.
template <int> struct Type { using Of = float; };
template <> struct Type<8> { using Of = double; };
using Sum = Type<TYPE_BYTES>::Of;
__device__ int place(int i) { return PAD ? i + i / 32 : i; }

extern "C" __global__ void scan_blelloch(const int* __restrict__ input, double* __restrict__ output) {
    constexpr int count = 2 * BLOCK_SIZE;
    __shared__ Sum data[count + count / 32];
    int t = threadIdx.x, base = blockIdx.x * count;
    data[place(t)] = input[base + t];
    data[place(t + BLOCK_SIZE)] = input[base + t + BLOCK_SIZE];
    int offset = 1;
    for (int active = BLOCK_SIZE; active; active /= 2) {
        __syncthreads();
        if (t < active) data[place(offset * (2 * t + 2) - 1)] += data[place(offset * (2 * t + 1) - 1)];
        offset *= 2;
    }
    if (t == 0) data[place(count - 1)] = 0;
    for (int active = 1; active <= BLOCK_SIZE; active *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < active) {
            int a = place(offset * (2 * t + 1) - 1), b = place(offset * (2 * t + 2) - 1);
            Sum left = data[a];
            data[a] = data[b];
            data[b] += left;
        }
    }
    __syncthreads();
    output[base + t] = data[place(t)];
    output[base + t + BLOCK_SIZE] = data[place(t + BLOCK_SIZE)];
}
