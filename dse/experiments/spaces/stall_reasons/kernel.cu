// stall_reasons: for each of Nsight Compute's reasons a loop in which warps stall for it, and its fixed twin, which
// does the same work without that wait.

enum { long_scoreboard, short_scoreboard, wait, barrier, membar, not_selected, math_pipe_throttle, mio_throttle,
       lg_throttle, no_instruction, imc_miss, branch_resolving, dispatch_stall, drain, sleeping };

constexpr bool IS_FIXED = FIXED;
constexpr int THREADS = 256;

__constant__ float table[4096];

// One chain of dependent loads, or four at a time.
__device__ float loads(const float* data, int thread, int n, int steps)
{
    const int stride = gridDim.x * THREADS;
    float sum = 0.0f;
    if (IS_FIXED) {
#pragma unroll 8
        for (int i = 0; i < steps; ++i) sum += data[(thread + i * stride) % n];
    } else {
        int place = thread;
#pragma unroll 1
        for (int i = 0; i < steps; ++i) {
            const float value = data[place % n];
            sum += value;
            place += stride + (value > 2.0f);         // never, but the address waits for it
        }
    }
    return sum;
}

// A chain through shared memory, or four chains side by side; the words are the byte offsets of the next ones.
__device__ float shared_chains(int steps)
{
    __shared__ int next[THREADS];
    next[threadIdx.x] = 4 * ((threadIdx.x + 33) % THREADS);
    __syncthreads();
    constexpr int CHAINS = IS_FIXED ? 4 : 1;
    int place[CHAINS];
    for (int c = 0; c < CHAINS; ++c) place[c] = 4 * ((threadIdx.x + c) % THREADS);
#pragma unroll (16 / CHAINS)
    for (int i = 0; i < steps / CHAINS; ++i) {
#pragma unroll
        for (int c = 0; c < CHAINS; ++c) {
            place[c] = *reinterpret_cast<const int*>(reinterpret_cast<const char*>(next) + place[c]);
        }
    }
    int sum = 0;
    for (int c = 0; c < CHAINS; ++c) sum += place[c];
    return sum;
}

// FMAs in CHAINS chains.
template <int CHAINS> __device__ float multiply_adds(float x, int steps)
{
    float sum[CHAINS];
    for (int c = 0; c < CHAINS; ++c) sum[c] = x + c;
#pragma unroll 4
    for (int i = 0; i < steps / CHAINS; ++i) {
#pragma unroll
        for (int c = 0; c < CHAINS; ++c) sum[c] = fmaf(sum[c], 0.75f, 0.25f);
    }
    for (int c = 1; c < CHAINS; ++c) sum[0] += sum[c];
    return sum[0];
}

// A sum over a block's words with a barrier in each step, or over a warp's.
__device__ float exchanges(int steps)
{
    __shared__ float words[THREADS];
    float value = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < steps; ++i) {
        words[threadIdx.x] = value;
        if (IS_FIXED) __syncwarp(); else __syncthreads();
        value += 0.5f * words[threadIdx.x ^ 1];
        if (IS_FIXED) __syncwarp(); else __syncthreads();
    }
    return value;
}

// A store and a fence for the GPU, or for the block.
__device__ float fences(float* data, int thread, int steps)
{
#pragma unroll 1
    for (int i = 0; i < steps; ++i) {
        data[thread] = i;
        if (IS_FIXED) __threadfence_block(); else __threadfence();
    }
    return steps;
}

// Integer products, for which half of the lanes are there, or FP32 ones.
__device__ float products(float x, int steps)
{
    constexpr int CHAINS = 4;
    if (IS_FIXED) return multiply_adds<CHAINS>(x, steps);
    int sum[CHAINS];
    for (int c = 0; c < CHAINS; ++c) sum[c] = x + c;
#pragma unroll 4
    for (int i = 0; i < steps / CHAINS; ++i) {
#pragma unroll
        for (int c = 0; c < CHAINS; ++c) sum[c] = sum[c] * sum[c] + steps;
    }
    for (int c = 1; c < CHAINS; ++c) sum[0] += sum[c];
    return sum[0];
}

// Sums over a warp by five shuffles, or by one reduction.
__device__ float sums_of_warps(int steps)
{
    int sum = threadIdx.x;
#pragma unroll 4
    for (int i = 0; i < steps; ++i) {
        int part = threadIdx.x ^ i;
        if (IS_FIXED) {
            part = __reduce_add_sync(0xffffffffu, part);
        } else {
#pragma unroll
            for (int offset = 16; offset > 0; offset /= 2) part += __shfl_xor_sync(0xffffffffu, part, offset);
        }
        sum ^= part;
    }
    return sum;
}

// Bytes, or sixteen of them at once, from L1.
__device__ float bytes(const float* data, int steps)
{
    unsigned sum = 0;
    const char* first = reinterpret_cast<const char*>(data);
#pragma unroll 1
    for (int i = 0; i < steps; i += 16) {
        const int place = 16 * ((threadIdx.x + i) % 512);
        if (IS_FIXED) {
            const uint4 word = *reinterpret_cast<const uint4*>(first + place);
            sum += __dp4a(word.x, 0x01010101u, __dp4a(word.y, 0x01010101u, __dp4a(word.z, 0x01010101u,
                   __dp4a(word.w, 0x01010101u, 0u))));
        } else {
#pragma unroll
            for (int k = 0; k < 16; ++k) sum += static_cast<unsigned char>(first[place + k]);
        }
    }
    return sum;
}

// The same polynomials 1,024 times, written out or in a loop.
__device__ float long_code(float x)
{
    float y[4] = {x, x + 1, x + 2, x + 3};
#pragma unroll (IS_FIXED ? 8 : 1024)
    for (int i = 0; i < 1024; ++i) {
#pragma unroll
        for (int c = 0; c < 4; ++c) y[c] = fmaf(y[c], 0.75f, 0.25f);
    }
    return y[0] + y[1] + y[2] + y[3];
}

// Constants from 16 KB, or from 256 bytes.
__device__ float constants(float x)
{
#pragma unroll
    for (int i = 0; i < 256; ++i) {
        x = fmaf(x, table[IS_FIXED ? i % 64 : 16 * i], x);
    }
    return x;
}

// A loop of two instructions, or the same unrolled.
__device__ float branches(int x, int steps)
{
#pragma unroll (IS_FIXED ? 16 : 1)
    for (int i = 0; i < steps; ++i) {
        x ^= i;
        asm volatile("" : "+r"(x));
    }
    return x;
}

// FMAs that read three registers of one bank, or of both: words that are loaded and stored in pairs lie in pairs, the
// first in an even register.
__device__ void paired(float* data, int thread, int n, int steps)
{
    constexpr int PAIRS = 12;
    float2* pairs = reinterpret_cast<float2*>(data);
    const int stride = gridDim.x * THREADS;
    float2 a[PAIRS], b[PAIRS], sum[PAIRS];
#pragma unroll
    for (int i = 0; i < PAIRS; ++i) {
        a[i] = pairs[(thread + i * stride) % (n / 2)];
        b[i] = pairs[(thread + (i + PAIRS) * stride) % (n / 2)];
        sum[i] = pairs[(thread + (i + 2 * PAIRS) * stride) % (n / 2)];
    }
#pragma unroll 1
    for (int s = 0; s < steps; ++s) {
#pragma unroll
        for (int i = 0; i < PAIRS; ++i) sum[i].x = fmaf(a[i].x, IS_FIXED ? b[i].y : b[i].x, sum[i].x);
    }
#pragma unroll
    for (int i = 0; i < PAIRS; ++i) {
        sum[i].y += a[i].y + b[i].x + b[i].y;
        pairs[(thread + i * stride) % (n / 2)] = sum[i];
    }
}

// A warp's results in lines of their own, or side by side.
__device__ void stores(float* data, int thread, int n)
{
    for (int i = 0; i < 8; ++i) {
        const int place = IS_FIXED ? i * gridDim.x * THREADS + thread : (thread * 8 + i) * 8;
        data[place % n] = i;
    }
}

extern "C" __global__ void stall_reasons(float* data, float* out, int n, int steps)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x;
    const float x = threadIdx.x;
    float result = 0.0f;
    if (REASON == long_scoreboard) result = loads(data, thread, n, steps / 16);
    if (REASON == short_scoreboard) result = shared_chains(steps);
    if (REASON == wait) result = multiply_adds<IS_FIXED ? 4 : 1>(x, 4 * steps);
    if (REASON == barrier) result = exchanges(steps);
    if (REASON == membar) result = fences(out, thread, steps / 16);
    if (REASON == not_selected) result = multiply_adds<IS_FIXED ? 8 : 4>(x, IS_FIXED ? 8 * steps : steps);
    if (REASON == math_pipe_throttle) result = products(x, 2 * steps);
    if (REASON == mio_throttle) result = sums_of_warps(steps);
    if (REASON == lg_throttle) result = bytes(data, steps);
    if (REASON == no_instruction) result = long_code(x);
    if (REASON == imc_miss) result = constants(x);
    if (REASON == branch_resolving) result = branches(threadIdx.x, steps);
    if (REASON == dispatch_stall) { paired(data, thread, n, steps / 2); return; }
    if (REASON == drain) { stores(data, thread, n); return; }
    if (REASON == sleeping) {
        for (int i = 0; i < 16; ++i) {
            if (!IS_FIXED) __nanosleep(200);
            result += i;
        }
    }
    out[thread] = result;
}
