// attention: softmax(Q K^T / 8) V for heads of 64 columns in FP16, on the tensor cores, with a running softmax.
//
// A warp keeps 16 rows of Q, of the sums and of their maxima in registers; a block of QUERIES rows shares tiles of KEYS
// rows of K and V. BUFFERS 2 copies the next tile while this one is used; PADDING puts the rows of a tile on other banks.

#include <cuda_fp16.h>

constexpr int COLUMNS = 64;
constexpr int THREADS = QUERIES / 16 * 32;
constexpr int STRIDE = COLUMNS + PADDING;
constexpr int WIDE = 8;                                // numbers of a 16-byte copy
constexpr float SCALE = 0.125f * 1.4426950408889634f;  // 1 / sqrt(64), for powers of two
constexpr float LOWEST = -1e30f;

struct Tile {
    __half k[KEYS][STRIDE];
    __half v[KEYS][STRIDE];
};

__device__ unsigned shared_address(const void* place) { return (unsigned)__cvta_generic_to_shared(place); }

__device__ unsigned pair(float low, float high)
{
    const __half2 both = __floats2half2_rn(low, high);
    return reinterpret_cast<const unsigned&>(both);
}

__device__ float power_of_two(float exponent)
{
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(exponent));
    return power;
}

__device__ void copy(__half (&to)[KEYS][STRIDE], const __half* from)
{
#pragma unroll
    for (int word = threadIdx.x; word < KEYS * COLUMNS / WIDE; word += THREADS) {
        const int row = word / (COLUMNS / WIDE), column = word % (COLUMNS / WIDE) * WIDE;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&to[row][column])),
                     "l"(from + row * COLUMNS + column));
    }
}

__device__ void copy(Tile& tile, const __half* k, const __half* v)
{
    copy(tile.k, k);
    copy(tile.v, v);
    asm volatile("cp.async.commit_group;");
}

template <int LATER> __device__ void arrived() { asm volatile("cp.async.wait_group %0;" ::"n"(LATER) : "memory"); }

/// Four tiles of 8 x 8, each lane with the address of one row.
__device__ void read(unsigned (&to)[4], const __half* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

__device__ void read_transposed(unsigned (&to)[4], const __half* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

__device__ void multiply(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ float most_of_row(float value)
{
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, 1));
    return fmaxf(value, __shfl_xor_sync(0xffffffffu, value, 2));
}

__device__ float sum_of_row(float value)
{
    value += __shfl_xor_sync(0xffffffffu, value, 1);
    return value + __shfl_xor_sync(0xffffffffu, value, 2);
}

/// What a warp keeps of its 16 rows; a lane has two of them.
struct Rows {
    unsigned q[COLUMNS / 16][4];
    float out[COLUMNS / 8][4] = {};
    float most[2] = {LOWEST, LOWEST};
    float sum[2] = {};

    __device__ void scores(const Tile& tile, float (&s)[KEYS / 8][4])
    {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int key = 0; key < KEYS / 8; ++key) {
#pragma unroll
            for (int step = 0; step < COLUMNS / 32; ++step) {
                unsigned b[4];
                read(b, &tile.k[key * 8 + lane % 8][step * 32 + lane / 8 * 8]);
                multiply(s[key], q[2 * step], b[0], b[1]);
                multiply(s[key], q[2 * step + 1], b[2], b[3]);
            }
        }
    }

    /// Scores become weights; what was summed before is scaled to the new maximum.
    __device__ void weigh(float (&s)[KEYS / 8][4])
    {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float now = most[half];
#pragma unroll
            for (int key = 0; key < KEYS / 8; ++key) {
                now = fmaxf(now, fmaxf(s[key][2 * half], s[key][2 * half + 1]));
            }
            now = most_of_row(now);
            const float kept = power_of_two((most[half] - now) * SCALE), shift = now * SCALE;
            most[half] = now;
            sum[half] *= kept;
#pragma unroll
            for (int key = 0; key < KEYS / 8; ++key) {
#pragma unroll
                for (int i = 2 * half; i < 2 * half + 2; ++i) {
                    s[key][i] = power_of_two(s[key][i] * SCALE - shift);
                    sum[half] += s[key][i];
                }
            }
#pragma unroll
            for (int column = 0; column < COLUMNS / 8; ++column) {
                out[column][2 * half] *= kept;
                out[column][2 * half + 1] *= kept;
            }
        }
    }

    __device__ void add_values(const Tile& tile, const float (&s)[KEYS / 8][4])
    {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int step = 0; step < KEYS / 16; ++step) {
            const float(&low)[4] = s[2 * step], (&high)[4] = s[2 * step + 1];
            const unsigned weights[4] = {pair(low[0], low[1]), pair(low[2], low[3]), pair(high[0], high[1]),
                                         pair(high[2], high[3])};
#pragma unroll
            for (int column = 0; column < COLUMNS / 8; column += 2) {
                unsigned b[4];
                read_transposed(b, &tile.v[step * 16 + lane % 16][column * 8 + lane / 16 * 8]);
                multiply(out[column], weights, b[0], b[1]);
                multiply(out[column + 1], weights, b[2], b[3]);
            }
        }
    }
};

extern "C" __global__ void __launch_bounds__(THREADS)
attention(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
          __half* __restrict__ out, int sequence)
{
    __shared__ __align__(16) Tile tiles[BUFFERS];
    const int lane = threadIdx.x % 32;
    const int block = (gridDim.x - 1 - blockIdx.x) * QUERIES;    // with a causal mask, the longest first
    const int warp = block + threadIdx.x / 32 * 16;
    const int row = warp + lane / 4, column = lane % 4 * 2;
    const long long head = (long long)blockIdx.y * sequence * COLUMNS;
    q += head + row * COLUMNS + column;
    out += head + row * COLUMNS + column;
    k += head;
    v += head;

    Rows rows;
#pragma unroll
    for (int step = 0; step < COLUMNS / 16; ++step) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            rows.q[step][i] = *reinterpret_cast<const unsigned*>(&q[i % 2 * 8 * COLUMNS + step * 16 + i / 2 * 8]);
        }
    }

    const int end = CAUSAL ? block + QUERIES : sequence;
    if (BUFFERS == 2) {
        copy(tiles[0], k, v);
    }
    int buffer = 0;
#pragma unroll 1
    for (int first = 0; first < end; first += KEYS) {
        Tile& tile = tiles[buffer];
        if (BUFFERS == 1) {
            copy(tile, k + first * COLUMNS, v + first * COLUMNS);
            arrived<0>();
        } else {
            buffer ^= 1;
            if (first + KEYS < end) {
                copy(tiles[buffer], k + (first + KEYS) * COLUMNS, v + (first + KEYS) * COLUMNS);
                arrived<1>();
            } else {
                arrived<0>();
            }
        }
        __syncthreads();
        float s[KEYS / 8][4] = {};
        rows.scores(tile, s);
        if (CAUSAL && first + KEYS > warp) {
#pragma unroll
            for (int key = 0; key < KEYS / 8; ++key) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    s[key][i] = first + key * 8 + column + i % 2 > row + i / 2 * 8 ? LOWEST : s[key][i];
                }
            }
        }
        rows.weigh(s);
        rows.add_values(tile, s);
        __syncthreads();
    }

#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const float scale = __fdividef(1.0f, sum_of_row(rows.sum[half]));
#pragma unroll
        for (int each = 0; each < COLUMNS / 8; ++each) {
            const float* sums = &rows.out[each][2 * half];
            *reinterpret_cast<unsigned*>(&out[half * 8 * COLUMNS + each * 8]) = pair(sums[0] * scale, sums[1] * scale);
        }
    }
}
