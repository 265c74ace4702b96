// Rows in pieces: each thread reads LOADS pieces of VECTOR words, waits for all of them, and writes them to another array
// (STORES), times and plus words of WEIGHTS vectors that all blocks read. Pieces of a block follow each other (ORDER 0), those of a
// warp do (1), or each piece of a thread is of another row of 4 KiB (2). In between all threads of a block meet (MEET 1), or
// sum up what they have read (2).
constexpr unsigned PIECE = VECTOR * 4, LANES = 32, ROW = 4096;
struct alignas(PIECE) Piece { float v[VECTOR]; };

__device__ size_t place(unsigned i) {
#if ORDER == 0
    return ((size_t)blockIdx.x * LOADS + i) * blockDim.x * PIECE + threadIdx.x * PIECE;
#elif ORDER == 1
    const unsigned warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    return (((size_t)blockIdx.x * (blockDim.x / LANES) + warp) * LOADS + i) * LANES * PIECE + lane * PIECE;
#else
    const unsigned across = ROW / (blockDim.x * PIECE);
    return ((size_t)(blockIdx.x / across) * LOADS + i) * ROW + (blockIdx.x % across * blockDim.x + threadIdx.x) * PIECE;
#endif
}

__device__ float of_block(float sum) {
    __shared__ float part[32];
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % LANES == 0) part[threadIdx.x / LANES] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int w = 0; w < blockDim.x / LANES; ++w) sum += part[w];
    return sum;
}

extern "C" __global__ void row_pieces(const char* __restrict__ input, const Piece* __restrict__ times,
                                      const Piece* __restrict__ plus, char* __restrict__ out) {
    Piece piece[LOADS];
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < LOADS; ++i) piece[i] = *(const Piece*)(input + place(i));
#pragma unroll
    for (int i = 0; i < LOADS; ++i)
#pragma unroll
        for (int j = 0; j < VECTOR; ++j) sum += piece[i].v[j];
#if MEET == 1
    __syncthreads();
#elif MEET == 2
    sum = of_block(sum);
#endif
#pragma unroll
    for (int i = 0; i < LOADS; ++i) {
#pragma unroll
        for (int j = 0; j < VECTOR; ++j) {
            if (MEET != 1 || WEIGHTS) piece[i].v[j] -= sum;
            if (WEIGHTS > 0) piece[i].v[j] *= times[i * blockDim.x + threadIdx.x].v[j];
            if (WEIGHTS > 1) piece[i].v[j] += plus[i * blockDim.x + threadIdx.x].v[j];
        }
        if (STORES) *(Piece*)(out + place(i)) = piece[i];
    }
    if (!STORES && sum == 12345.0f) *(Piece*)out = piece[0];
}
