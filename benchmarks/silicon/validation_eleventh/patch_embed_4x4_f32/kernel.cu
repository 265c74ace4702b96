// Patches of 4 x 4 pixels of three channels to 96 channels; a thread has CT channels of PT patches.
constexpr int LANES = 96 / CT, THREADS = LANES * GROUPS, PATCHES = GROUPS * PT, RUNS = 4;

extern "C" __global__ void __launch_bounds__(THREADS)
patch_embed_4x4_f32(const float4* __restrict__ image, const float* __restrict__ weight, const float* __restrict__ bias, float* __restrict__ out)
{
    __shared__ float ws[STAGED ? 48 * 96 : 1];
    __shared__ float4 px[PATCHES][12];
    const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
    if (STAGED)
        for (int i = threadIdx.x; i < 48 * 96; i += THREADS) ws[STAGED ? i : 0] = weight[i];
    float b[CT];
#pragma unroll
    for (int c = 0; c < CT; ++c) b[c] = bias[lane * CT + c];
#pragma unroll 1
    for (int run = 0; run < RUNS; ++run) {
        const int first = (blockIdx.x * RUNS + run) * PATCHES;
        __syncthreads();
        for (int i = threadIdx.x; i < PATCHES * 12; i += THREADS) {
            const int patch = first + i / 12, row = i % 12, bx = patch % 56, by = patch / 56 % 56, n = patch / 3136;
            px[i / 12][row] = image[((n * 3 + row / 4) * 224 + by * 4 + row % 4) * 56 + bx];
        }
        __syncthreads();
        float acc[PT][CT];
#pragma unroll
        for (int p = 0; p < PT; ++p)
#pragma unroll
            for (int c = 0; c < CT; ++c) acc[p][c] = b[c];
#pragma unroll 4
        for (int r = 0; r < 12; ++r) {
            float4 v[PT];
#pragma unroll
            for (int p = 0; p < PT; ++p) v[p] = px[group * PT + p][r];
#pragma unroll
            for (int j = 0; j < 4; ++j)
#pragma unroll
                for (int c = 0; c < CT; ++c) {
                    const int at = (r * 4 + j) * 96 + lane * CT + c;
                    const float w = STAGED ? ws[STAGED ? at : 0] : __ldg(weight + at);
#pragma unroll
                    for (int p = 0; p < PT; ++p) acc[p][c] += w * (j == 0 ? v[p].x : j == 1 ? v[p].y : j == 2 ? v[p].z : v[p].w);
                }
        }
#pragma unroll
        for (int p = 0; p < PT; ++p)
#pragma unroll
            for (int c = 0; c < CT; ++c) out[(size_t)(first + group * PT + p) * 96 + lane * CT + c] = acc[p][c];
    }
}
