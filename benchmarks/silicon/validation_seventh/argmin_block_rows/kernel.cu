// First smallest number of each row and its place.
struct alignas(VEC * 4) Pack { float v[VEC]; };
constexpr int PACKS = COLS / VEC;

extern "C" __global__ void __launch_bounds__(THREADS)
argmin_block_rows(const Pack* __restrict__ x, float* __restrict__ least, int* __restrict__ place)
{
    __shared__ float vs[THREADS / 32];
    __shared__ int is[THREADS / 32];
    const Pack* row = x + (size_t)blockIdx.x * PACKS;
    float best = 3.0e38f;
    int at = 0;
#pragma unroll UNROLL
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        const Pack p = row[i];
#pragma unroll
        for (int j = 0; j < VEC; ++j)
            if (p.v[j] < best) {
                best = p.v[j];
                at = i * VEC + j;
            }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        const float v = __shfl_xor_sync(~0u, best, d);
        const int i = __shfl_xor_sync(~0u, at, d);
        if (v < best || (v == best && i < at)) {
            best = v;
            at = i;
        }
    }
    if (threadIdx.x % 32 == 0) {
        vs[threadIdx.x / 32] = best;
        is[threadIdx.x / 32] = at;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; ++w)
            if (vs[w] < best || (vs[w] == best && is[w] < at)) {
                best = vs[w];
                at = is[w];
            }
        least[blockIdx.x] = best;
        place[blockIdx.x] = at;
    }
}
