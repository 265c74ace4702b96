// sgemm: C = A B in single precision, all matrices by rows, tiles in shared memory and sums in registers.
//
// A block computes TILE x TILE of C; a thread computes THREAD_TILE x THREAD_TILE of it, so each word read from shared
// memory is used THREAD_TILE times. A's tile is stored by columns, so that both operands are read along rows.

template <int WORDS> struct Vector;
template <> struct Vector<1> { using type = float; };
template <> struct Vector<4> { using type = float4; };

constexpr int SIDE = TILE / THREAD_TILE;
constexpr int THREADS = SIDE * SIDE;
constexpr int STEP = 8;                              // columns of A and rows of B in shared memory
constexpr int LOADS = (TILE * STEP / VECTOR + THREADS - 1) / THREADS;

using Word = Vector<VECTOR>::type;

struct Tiles {
    float a[STEP][TILE + 4];
    float b[STEP][TILE];
};

__device__ void load(const float* a, const float* b, int k0, int n, int k, Word (&from_a)[LOADS], Word (&from_b)[LOADS])
{
#pragma unroll
    for (int load = 0; load < LOADS; ++load) {
        const int word = (load * THREADS + threadIdx.x) * VECTOR;
        if (word < TILE * STEP) {
            from_a[load] = *reinterpret_cast<const Word*>(&a[(word / STEP) * k + k0 + word % STEP]);
            from_b[load] = *reinterpret_cast<const Word*>(&b[(k0 + word / TILE) * n + word % TILE]);
        }
    }
}

__device__ void store(Tiles& tiles, const Word (&from_a)[LOADS], const Word (&from_b)[LOADS])
{
#pragma unroll
    for (int load = 0; load < LOADS; ++load) {
        const int word = (load * THREADS + threadIdx.x) * VECTOR;
        if (word < TILE * STEP) {
            const float* values = reinterpret_cast<const float*>(&from_a[load]);
#pragma unroll
            for (int v = 0; v < VECTOR; ++v) {
                tiles.a[word % STEP + v][word / STEP] = values[v];
            }
            *reinterpret_cast<Word*>(&tiles.b[word / TILE][word % TILE]) = from_b[load];
        }
    }
}

__device__ void multiply(const Tiles& tiles, int row, int column, float (&sum)[THREAD_TILE][THREAD_TILE])
{
#pragma unroll
    for (int k = 0; k < STEP; ++k) {
        float left[THREAD_TILE], right[THREAD_TILE];
#pragma unroll
        for (int i = 0; i < THREAD_TILE; ++i) {
            left[i] = tiles.a[k][row + i];
            right[i] = tiles.b[k][column + i];
        }
#pragma unroll
        for (int i = 0; i < THREAD_TILE; ++i) {
#pragma unroll
            for (int j = 0; j < THREAD_TILE; ++j) {
                sum[i][j] = fmaf(left[i], right[j], sum[i][j]);
            }
        }
    }
}

extern "C" __global__ void
sgemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n, int k)
{
    __shared__ __align__(16) Tiles tiles[BUFFERS];
    const int row = threadIdx.x / SIDE * THREAD_TILE;
    const int column = threadIdx.x % SIDE * THREAD_TILE;
    a += blockIdx.y * TILE * k;
    b += blockIdx.x * TILE;
    c += blockIdx.y * TILE * n + blockIdx.x * TILE;

    float sum[THREAD_TILE][THREAD_TILE] = {};
    Word from_a[LOADS], from_b[LOADS];
    load(a, b, 0, n, k, from_a, from_b);
    store(tiles[0], from_a, from_b);
    __syncthreads();
    int buffer = 0;
#pragma unroll 1
    for (int k0 = STEP; k0 < k; k0 += STEP) {
        load(a, b, k0, n, k, from_a, from_b);        // in flight while this tile is multiplied
        multiply(tiles[buffer], row, column, sum);
        if (BUFFERS == 1) {
            __syncthreads();
        } else {
            buffer ^= 1;
        }
        store(tiles[buffer], from_a, from_b);
        __syncthreads();
    }
    multiply(tiles[buffer], row, column, sum);

#pragma unroll
    for (int i = 0; i < THREAD_TILE; ++i) {
#pragma unroll
        for (int j = 0; j < THREAD_TILE; j += VECTOR) {
            *reinterpret_cast<Word*>(&c[(row + i) * n + column + j]) = *reinterpret_cast<Word*>(&sum[i][j]);
        }
    }
}
