// A read and a haplotype by 128 / ROWS lanes along a wave front; lanes pass their last rows on by shuffles.
constexpr int LANES = 128 / ROWS, GROUPS = 128 / LANES;

extern "C" __global__ void __launch_bounds__(128)
pair_hmm_lanes(const unsigned char* __restrict__ reads, const float* __restrict__ quality,
               const unsigned char* __restrict__ haplotypes, float* __restrict__ likelihood)
{
    constexpr float STAY = 0.9f, BACK = 0.8f, OPEN = 0.05f, EXTEND = 0.1f;
    __shared__ unsigned char bases[GROUPS][HAPLOTYPE];
    const int group = threadIdx.x / LANES, lane = threadIdx.x % LANES, pair = blockIdx.x * GROUPS + group;
    for (int i = threadIdx.x; i < GROUPS * HAPLOTYPE; i += 128)
        (&bases[0][0])[i] = haplotypes[blockIdx.x * GROUPS * HAPLOTYPE + i];
    __syncthreads();
    int base[ROWS];
    float right[ROWS], wrong[ROWS], m[ROWS] = {}, x[ROWS] = {}, y[ROWS] = {};
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int at = pair * 128 + lane * ROWS + r;
        base[r] = reads[at];
        const float error = QUALITIES ? 0.3f * quality[at] : 0.1f;
        right[r] = 2.0f * (1.0f - error);
        wrong[r] = 2.0f * (error / 3.0f + 0.1f);
    }
    const float begin = 1e10f / HAPLOTYPE;
    float above_m = 0.0f, above_x = 0.0f, above_y = lane == 0 ? begin : 0.0f, sum = 0.0f;
    for (int step = 0; step < HAPLOTYPE + LANES - 1; ++step) {
        const int column = step - lane;
        // The row above this lane's: in this column (new) and in the one before (old).
        float um = __shfl_up_sync(0xffffffff, m[ROWS - 1], 1, LANES), ux = __shfl_up_sync(0xffffffff, x[ROWS - 1], 1, LANES),
              uy = __shfl_up_sync(0xffffffff, y[ROWS - 1], 1, LANES);
        if (lane == 0) {
            um = ux = 0.0f;
            uy = begin;
        }
        if (column >= 0 && column < HAPLOTYPE) {
            const int letter = bases[group][column];
            float dm = above_m, dx = above_x, dy = above_y, nm = um, nx = ux;
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                const float om = m[r], ox = x[r], oy = y[r];
                const float match = (letter == base[r] ? right[r] : wrong[r]) * (STAY * dm + BACK * (dx + dy));
                const float insert = OPEN * nm + EXTEND * nx;
                y[r] = OPEN * om + EXTEND * oy;
                m[r] = match;
                x[r] = insert;
                dm = om;
                dx = ox;
                dy = oy;
                nm = match;
                nx = insert;
            }
            if (lane == LANES - 1) sum += m[ROWS - 1] + x[ROWS - 1];
            above_m = um;
            above_x = ux;
            above_y = uy;
        }
    }
    if (lane == LANES - 1) likelihood[pair] = __log10f(sum);
}
