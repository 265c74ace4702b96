// layer_norm: of each row, a block a row, in one of three ways.
//
// 0: three passes over the row in memory, for mean, variance and result; 1: one pass for sum and sum of squares, and one
// that writes; 2: the row stays in registers, where mean and variance take a pass each.

template <int WORDS> struct Vector;
template <> struct Vector<1> { using type = float; };
template <> struct Vector<4> { using type = float4; };

constexpr int SQUARES = 1, REGISTERS = 2;
constexpr float EPSILON = 1e-5f;
constexpr int WORDS = COLUMNS / VECTOR;                // of a row
constexpr int HELD = WORDS / BLOCK_SIZE;

struct Word {
    float at[VECTOR];
};

__device__ Word load(const float* row, int word)
{
    const auto value = reinterpret_cast<const Vector<VECTOR>::type*>(row)[word];
    return reinterpret_cast<const Word&>(value);
}

__device__ void store(float* row, int word, Word value)
{
    reinterpret_cast<Vector<VECTOR>::type*>(row)[word] = reinterpret_cast<const Vector<VECTOR>::type&>(value);
}

__device__ float sum_of(Word word)
{
    float sum = 0.0f;
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) {
        sum += word.at[v];
    }
    return sum;
}

__device__ float squares_of(Word word, float mean)
{
    float sum = 0.0f;
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) {
        sum += (word.at[v] - mean) * (word.at[v] - mean);
    }
    return sum;
}

__device__ float all(float value)
{
    __shared__ float parts[BLOCK_SIZE / 32];
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, offset);
    }
    __syncthreads();
    parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0.0f;
#pragma unroll
    for (int warp = 0; warp < BLOCK_SIZE / 32; ++warp) {
        value += parts[warp];
    }
    return value;
}

__device__ Word normal(Word word, float mean, float scale, Word gamma, Word beta)
{
    Word out;
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) {
        out.at[v] = (word.at[v] - mean) * scale * gamma.at[v] + beta.at[v];
    }
    return out;
}

extern "C" __global__ void
layer_norm(const float* __restrict__ input, const float* __restrict__ gamma, const float* __restrict__ beta,
           float* __restrict__ out)
{
    input += (long long)blockIdx.x * COLUMNS;
    out += (long long)blockIdx.x * COLUMNS;

    if (METHOD == REGISTERS) {
        Word held[HELD];
        float sum = 0.0f, squares = 0.0f;
#pragma unroll
        for (int i = 0; i < HELD; ++i) {
            held[i] = load(input, i * BLOCK_SIZE + threadIdx.x);
            sum += sum_of(held[i]);
        }
        const float mean = all(sum) / COLUMNS;
#pragma unroll
        for (int i = 0; i < HELD; ++i) {
            squares += squares_of(held[i], mean);
        }
        const float scale = rsqrtf(all(squares) / COLUMNS + EPSILON);
#pragma unroll
        for (int i = 0; i < HELD; ++i) {
            const int word = i * BLOCK_SIZE + threadIdx.x;
            store(out, word, normal(held[i], mean, scale, load(gamma, word), load(beta, word)));
        }
        return;
    }

    float sum = 0.0f, squares = 0.0f;
    for (int word = threadIdx.x; word < WORDS; word += BLOCK_SIZE) {
        const Word value = load(input, word);
        sum += sum_of(value);
        if (METHOD == SQUARES) {
            squares += squares_of(value, 0.0f);
        }
    }
    const float mean = all(sum) / COLUMNS;
    if (METHOD != SQUARES) {
        for (int word = threadIdx.x; word < WORDS; word += BLOCK_SIZE) {
            squares += squares_of(load(input, word), mean);
        }
    }
    const float shift = METHOD == SQUARES ? mean * mean : 0.0f;
    const float scale = rsqrtf(all(squares) / COLUMNS - shift + EPSILON);
    for (int word = threadIdx.x; word < WORDS; word += BLOCK_SIZE) {
        store(out, word, normal(load(input, word), mean, scale, load(gamma, word), load(beta, word)));
    }
}
