// The place of a key is the number of lesser keys and of equal ones before it.
constexpr int THREADS = TILE / EACH;

extern "C" __global__ void __launch_bounds__(THREADS)
rank_sort_tiles(const unsigned* __restrict__ x, unsigned* __restrict__ y)
{
    __shared__ uint4 keys[TILE / 4];
    unsigned* flat = reinterpret_cast<unsigned*>(keys);
    const int base = blockIdx.x * TILE;
    unsigned own[EACH];
    int place[EACH] = {};
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        own[e] = x[base + e * THREADS + threadIdx.x];
        flat[e * THREADS + threadIdx.x] = own[e];
    }
    __syncthreads();
    auto count = [&](unsigned k, int j) {
#pragma unroll
        for (int e = 0; e < EACH; ++e) place[e] += k < own[e] + (j < e * THREADS + (int)threadIdx.x);
    };
    if (VEC == 4) {
#pragma unroll 4
        for (int j = 0; j < TILE / 4; ++j) {
            const uint4 k = keys[j];
            count(k.x, 4 * j);
            count(k.y, 4 * j + 1);
            count(k.z, 4 * j + 2);
            count(k.w, 4 * j + 3);
        }
    } else {
#pragma unroll 8
        for (int j = 0; j < TILE; ++j) count(flat[j], j);
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < EACH; ++e) flat[place[e]] = own[e];
    __syncthreads();
#pragma unroll
    for (int e = 0; e < EACH; ++e) y[base + e * THREADS + threadIdx.x] = flat[e * THREADS + threadIdx.x];
}
