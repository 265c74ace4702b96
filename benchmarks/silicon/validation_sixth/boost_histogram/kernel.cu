// A node of the tree holds 24,576 of 49,152 rows of 32 bytes; a thread takes four features of a row.
constexpr int FEATURES = 32, QUADS = FEATURES_BLOCK / 4, PART = 24576 / 48, PER = 256 / QUADS;

#if FIXED
typedef int Sum;
__device__ Sum made(float x) { return (int)(x * 65536.0f); }
#else
typedef float Sum;
__device__ Sum made(float x) { return x; }
#endif

extern "C" __global__ void __launch_bounds__(256)
boost_histogram(const unsigned char* __restrict__ codes, const int* __restrict__ rows, const float2* __restrict__ gradients,
                Sum* __restrict__ out)
{
    __shared__ Sum hist[FEATURES_BLOCK * BINS * 2];
    for (int i = threadIdx.x; i < FEATURES_BLOCK * BINS * 2; i += 256) hist[i] = 0;
    __syncthreads();
    const int quad = threadIdx.x % QUADS, first = blockIdx.x * FEATURES_BLOCK;
    for (int i = threadIdx.x / QUADS; i < PART; i += PER) {
        const int row = rows[blockIdx.y * PART + i];
        const float2 g = gradients[row];
        const uchar4 c = *reinterpret_cast<const uchar4*>(codes + row * FEATURES + first + quad * 4);
        const Sum a = made(g.x), b = made(g.y);
        Sum* mine = hist + quad * 4 * BINS * 2;
        atomicAdd(mine + c.x * 2, a);
        atomicAdd(mine + c.x * 2 + 1, b);
        atomicAdd(mine + (BINS + c.y) * 2, a);
        atomicAdd(mine + (BINS + c.y) * 2 + 1, b);
        atomicAdd(mine + (2 * BINS + c.z) * 2, a);
        atomicAdd(mine + (2 * BINS + c.z) * 2 + 1, b);
        atomicAdd(mine + (3 * BINS + c.w) * 2, a);
        atomicAdd(mine + (3 * BINS + c.w) * 2 + 1, b);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < FEATURES_BLOCK * BINS * 2; i += 256)
        if (hist[i] != 0) atomicAdd(out + first * BINS * 2 + i, hist[i]);
}
