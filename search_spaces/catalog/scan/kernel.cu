// scan: the running sums of segments, in one of three ways.
//
// 0: in shared memory, each step adds what stands 1, 2, 4, ... places before; 1: up and down a tree in shared memory, with
// half as many additions; 2: shuffles in a warp, then the sums of the warps. LANES threads scan a segment, ITEMS numbers
// each, and all segments of a block wait at its barriers.

constexpr int TREE = 1, SHUFFLES = 2;
constexpr int LANES = SEGMENT / ITEMS;
constexpr int WARPS = LANES / 32;                      // of a segment

/// The sum of all lanes before this one.
__device__ float before(float own)
{
    const int lane = threadIdx.x % LANES;
    if (METHOD == SHUFFLES) {
        __shared__ float totals[BLOCK_SIZE / 32];
        float sum = own;
#pragma unroll
        for (int offset = 1; offset < 32; offset *= 2) {
            const float other = __shfl_up_sync(0xffffffffu, sum, offset);
            sum += threadIdx.x % 32 >= offset ? other : 0.0f;
        }
        if (threadIdx.x % 32 == 31) {
            totals[threadIdx.x / 32] = sum;
        }
        __syncthreads();
        const float* segment = &totals[threadIdx.x / LANES * WARPS];
        float earlier = 0.0f;
#pragma unroll
        for (int warp = 0; warp < WARPS; ++warp) {
            earlier += warp < lane / 32 ? segment[warp] : 0.0f;
        }
        __syncthreads();
        return earlier + sum - own;
    }

    __shared__ float sums[BLOCK_SIZE];
    float* segment = &sums[threadIdx.x / LANES * LANES];
    segment[lane] = own;
    __syncthreads();
    if (METHOD == TREE) {
#pragma unroll
        for (int half = 1; half < LANES; half *= 2) {
            const int right = 2 * half * (lane + 1) - 1;
            if (right < LANES) {
                segment[right] += segment[right - half];
            }
            __syncthreads();
        }
#pragma unroll
        for (int half = LANES / 4; half > 0; half /= 2) {
            const int left = 2 * half * (lane + 1) - 1;
            if (left + half < LANES) {
                segment[left + half] += segment[left];
            }
            __syncthreads();
        }
    } else {
#pragma unroll
        for (int offset = 1; offset < LANES; offset *= 2) {
            const float other = lane >= offset ? segment[lane - offset] : 0.0f;
            __syncthreads();
            segment[lane] += other;
            __syncthreads();
        }
    }
    const float sum = lane ? segment[lane - 1] : 0.0f;
    __syncthreads();
    return sum;
}

extern "C" __global__ void scan(const float* __restrict__ input, float* __restrict__ out, int rounds)
{
    for (int round = 0; round < rounds; ++round) {
        const long long first = (((long long)blockIdx.x * rounds + round) * BLOCK_SIZE + threadIdx.x) * ITEMS;
        float items[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            items[i] = input[first + i] + (i ? items[i - 1] : 0.0f);
        }
        const float earlier = before(items[ITEMS - 1]);
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            out[first + i] = earlier + items[i];
        }
    }
}
