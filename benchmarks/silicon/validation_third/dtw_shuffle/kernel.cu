// Dynamic time warping of pairs of series, a warp a pair: a lane owns ITEMS columns, a row moves from lane to lane by
// shuffles, one row behind the lane on its left.
constexpr int LENGTH = 32 * ITEMS;

extern "C" __global__ void dtw_shuffle(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out)
{
    const int pair = (blockIdx.x * THREADS + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    const float* rows = a + (size_t)pair * LENGTH;
    float mine[ITEMS], above[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        mine[i] = b[(size_t)pair * LENGTH + lane * ITEMS + i];
        above[i] = 1e30f;
    }
    float corner = lane == 0 ? 0.0f : 1e30f, x = 0.0f, last = 1e30f;
    for (int step = 0; step < LENGTH + 31; ++step) {
        const float left_value = __shfl_up_sync(0xffffffff, last, 1);
        x = __shfl_up_sync(0xffffffff, x, 1);
        if (lane == 0) x = step < LENGTH ? rows[step] : 0.0f;
        const int row = step - lane;
        if (row >= 0 && row < LENGTH) {
            float left = lane == 0 ? 1e30f : left_value, diagonal = corner;
            corner = left;
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                const float d = x - mine[i], cost = SQUARED ? d * d : fabsf(d);
                const float best = cost + fminf(diagonal, fminf(left, above[i]));
                diagonal = above[i];
                above[i] = left = best;
            }
            last = left;
        }
    }
    if (lane == 31) out[pair] = last;
}
