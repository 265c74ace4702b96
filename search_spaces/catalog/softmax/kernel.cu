// softmax: of each row, with LANES threads a row, in one of three ways.
//
// 0: three passes over the row in memory; 1: one online pass that corrects the sum when the maximum grows, and one that
// writes; 2: the row stays in registers.

constexpr int ONLINE = 1, REGISTERS = 2;
constexpr float LOWEST = -3.402823466e38f;
constexpr int WARPS_A_ROW = (LANES + 31) / 32;
constexpr int ROWS = BLOCK_SIZE / LANES;
constexpr int HELD = COLUMNS / LANES;

template <typename Join> __device__ float all(float value, Join join)
{
#pragma unroll
    for (int offset = (LANES < 32 ? LANES : 32) / 2; offset > 0; offset /= 2) {
        value = join(value, __shfl_xor_sync(0xffffffffu, value, offset));
    }
    if (WARPS_A_ROW > 1) {
        __shared__ float parts[BLOCK_SIZE / 32];
        __syncthreads();
        parts[threadIdx.x / 32] = value;
        __syncthreads();
        const int first = threadIdx.x / LANES * WARPS_A_ROW;
        value = parts[first];
#pragma unroll
        for (int warp = 1; warp < WARPS_A_ROW; ++warp) {
            value = join(value, parts[first + warp]);
        }
    }
    return value;
}

__device__ float larger(float a, float b) { return fmaxf(a, b); }
__device__ float sum_of(float a, float b) { return a + b; }

extern "C" __global__ void softmax(const float* __restrict__ input, float* __restrict__ out)
{
    const long long row = (long long)blockIdx.x * ROWS + threadIdx.x / LANES;
    const int lane = threadIdx.x % LANES;
    input += row * COLUMNS;
    out += row * COLUMNS;

    if (METHOD == REGISTERS) {
        float held[HELD];
        float most = LOWEST, sum = 0.0f;
#pragma unroll
        for (int i = 0; i < HELD; ++i) {
            held[i] = input[i * LANES + lane];
            most = fmaxf(most, held[i]);
        }
        most = all(most, larger);
#pragma unroll
        for (int i = 0; i < HELD; ++i) {
            held[i] = __expf(held[i] - most);
            sum += held[i];
        }
        const float scale = 1.0f / all(sum, sum_of);
#pragma unroll
        for (int i = 0; i < HELD; ++i) {
            out[i * LANES + lane] = held[i] * scale;
        }
        return;
    }

    float most = LOWEST, sum = 0.0f;
    if (METHOD == ONLINE) {
        for (int i = lane; i < COLUMNS; i += LANES) {
            const float before = most;
            most = fmaxf(most, input[i]);
            sum = sum * __expf(before - most) + __expf(input[i] - most);
        }
        const float own = most;
        most = all(most, larger);
        sum *= __expf(own - most);
    } else {
        for (int i = lane; i < COLUMNS; i += LANES) {
            most = fmaxf(most, input[i]);
        }
        most = all(most, larger);
        for (int i = lane; i < COLUMNS; i += LANES) {
            sum += __expf(input[i] - most);
        }
    }
    const float scale = 1.0f / all(sum, sum_of);
    for (int i = lane; i < COLUMNS; i += LANES) {
        out[i] = __expf(input[i] - most) * scale;
    }
}
