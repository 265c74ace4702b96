// matrix_product: C = A B in single precision, with what a tuner of such a kernel varies: the tile of a block in all
// three directions, the tile of a thread, the words of a load, how elements are dealt to threads, how often the inner
// loop is unrolled, and whether the next tile is loaded while this one is used.

template <int WORDS> struct Vector;
template <> struct Vector<1> { using type = float; };
template <> struct Vector<4> { using type = float4; };

constexpr int COLUMNS = TILE_N / THREAD_N;
constexpr int ROWS = TILE_M / THREAD_M;
constexpr int THREADS = COLUMNS * ROWS;
constexpr int LOADS_A = TILE_M * TILE_K / VECTOR / THREADS;
constexpr int LOADS_B = TILE_K * TILE_N / VECTOR / THREADS;

using Word = Vector<VECTOR>::type;

struct Tiles {
    float a[TILE_K][TILE_M + 4];
    float b[TILE_K][TILE_N];
};

// Element i of a thread: its own run of elements, or every ROWS-th (COLUMNS-th) of the tile.
__device__ int element(int thread, int i, int threads, int each) { return SPREAD ? i * threads + thread : thread * each + i; }

__device__ void load(const float* a, const float* b, int k0, int n, int k, Word (&from_a)[LOADS_A], Word (&from_b)[LOADS_B])
{
#pragma unroll
    for (int load = 0; load < LOADS_A; ++load) {
        const int word = (load * THREADS + threadIdx.x) * VECTOR;
        from_a[load] = *reinterpret_cast<const Word*>(&a[(word / TILE_K) * k + k0 + word % TILE_K]);
    }
#pragma unroll
    for (int load = 0; load < LOADS_B; ++load) {
        const int word = (load * THREADS + threadIdx.x) * VECTOR;
        from_b[load] = *reinterpret_cast<const Word*>(&b[(k0 + word / TILE_N) * n + word % TILE_N]);
    }
}

__device__ void store(Tiles& tiles, const Word (&from_a)[LOADS_A], const Word (&from_b)[LOADS_B])
{
#pragma unroll
    for (int load = 0; load < LOADS_A; ++load) {
        const int word = (load * THREADS + threadIdx.x) * VECTOR;
        const float* values = reinterpret_cast<const float*>(&from_a[load]);
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) {
            tiles.a[word % TILE_K + v][word / TILE_K] = values[v];
        }
    }
#pragma unroll
    for (int load = 0; load < LOADS_B; ++load) {
        const int word = (load * THREADS + threadIdx.x) * VECTOR;
        *reinterpret_cast<Word*>(&tiles.b[word / TILE_N][word % TILE_N]) = from_b[load];
    }
}

__device__ void multiply(const Tiles& tiles, int row, int column, float (&sum)[THREAD_M][THREAD_N])
{
#pragma unroll UNROLL
    for (int k = 0; k < TILE_K; ++k) {
        float left[THREAD_M], right[THREAD_N];
#pragma unroll
        for (int i = 0; i < THREAD_M; ++i) {
            left[i] = tiles.a[k][element(row, i, ROWS, THREAD_M)];
        }
#pragma unroll
        for (int j = 0; j < THREAD_N; ++j) {
            right[j] = tiles.b[k][element(column, j, COLUMNS, THREAD_N)];
        }
#pragma unroll
        for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
            for (int j = 0; j < THREAD_N; ++j) {
                sum[i][j] = fmaf(left[i], right[j], sum[i][j]);
            }
        }
    }
}

extern "C" __global__ void
matrix_product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n, int k)
{
    __shared__ __align__(16) Tiles tiles[BUFFERS];
    const int row = threadIdx.x / COLUMNS, column = threadIdx.x % COLUMNS;
    a += blockIdx.y * TILE_M * k;
    b += blockIdx.x * TILE_N;
    c += blockIdx.y * TILE_M * n + blockIdx.x * TILE_N;

    float sum[THREAD_M][THREAD_N] = {};
    Word from_a[LOADS_A], from_b[LOADS_B];
    load(a, b, 0, n, k, from_a, from_b);
    store(tiles[0], from_a, from_b);
    __syncthreads();
    for (int k0 = 0; k0 < k; k0 += TILE_K) {
        const bool more = k0 + TILE_K < k;
        const int now = BUFFERS == 2 ? k0 / TILE_K % 2 : 0;
        if (BUFFERS == 2 && more) {
            load(a, b, k0 + TILE_K, n, k, from_a, from_b);
        }
        multiply(tiles[now], row, column, sum);
        if (BUFFERS == 1) {
            __syncthreads();
            if (more) {
                load(a, b, k0 + TILE_K, n, k, from_a, from_b);
            }
        }
        if (more) {
            store(tiles[BUFFERS == 2 ? 1 - now : 0], from_a, from_b);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
        for (int j = 0; j < THREAD_N; ++j) {
            c[element(row, i, ROWS, THREAD_M) * n + element(column, j, COLUMNS, THREAD_N)] = sum[i][j];
        }
    }
}
