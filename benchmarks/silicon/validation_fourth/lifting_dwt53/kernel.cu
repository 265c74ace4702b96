// A level of the reversible 5/3 wavelet transform along the rows of an image of 16-bit numbers, a row a block: from the
// row in shared memory, or straight from memory with neighbours' details made again.
constexpr int HALF = WIDTH / 2;

extern "C" __global__ void __launch_bounds__(THREADS)
lifting_dwt53(const short* __restrict__ in, short* __restrict__ out)
{
    const short* row = in + (size_t)blockIdx.x * WIDTH;
    short* low = out + (size_t)blockIdx.x * WIDTH;
    short* high = low + HALF;
#if IN_SHARED
    __shared__ short samples[WIDTH], details[HALF];
    for (int i = threadIdx.x; i < HALF; i += THREADS)
        reinterpret_cast<short2*>(samples)[i] = reinterpret_cast<const short2*>(row)[i];
    __syncthreads();
    for (int i = threadIdx.x; i < HALF; i += THREADS) {
        const int next = i + 1 < HALF ? samples[2 * i + 2] : samples[2 * i];
        details[i] = samples[2 * i + 1] - ((samples[2 * i] + next) >> 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < HALF; i += THREADS) {
        const int before = details[i > 0 ? i - 1 : 0], here = details[i];
        low[i] = samples[2 * i] + ((before + here + 2) >> 2);
        high[i] = here;
    }
#else
    const short2* pairs = reinterpret_cast<const short2*>(row);
    for (int i = threadIdx.x; i < HALF; i += THREADS) {
        const short2 p = pairs[i];
        const int next = i + 1 < HALF ? row[2 * i + 2] : p.x;
        const short here = p.y - ((p.x + next) >> 1);
        short before = here;
        if (i > 0) {
            const short2 q = pairs[i - 1];
            before = q.y - ((q.x + p.x) >> 1);
        }
        low[i] = p.x + ((before + here + 2) >> 2);
        high[i] = here;
    }
#endif
}
