// Speculative colouring: a new colour for every vertex, and a bit for those whose old colour a later neighbour has.
extern "C" __global__ void __launch_bounds__(128)
greedy_colour_bits(const int* __restrict__ neighbours, const unsigned char* __restrict__ colours,
                   unsigned char* __restrict__ next, unsigned* __restrict__ conflicts)
{
    const int thread = blockIdx.x * 128 + threadIdx.x, v = thread / LANES, lane = thread % LANES;
    const int length = MEAN / 2 + (v * 2654435761u >> 9) % (MEAN + 1), own = colours[v];
    unsigned long long used = 0;
    int clash = 0;
#pragma unroll 2
    for (int j = lane; j < length; j += LANES) {
        const int u = neighbours[v * (MEAN * 2) + j], colour = colours[u];
        used |= 1ull << colour;
        if (DETECT) clash |= colour == own && u > v;
    }
#pragma unroll
    for (int d = LANES / 2; d > 0; d >>= 1) {
        used |= __shfl_xor_sync(0xffffffff, used, d);
        if (DETECT) clash |= __shfl_xor_sync(0xffffffff, clash, d);
    }
    if (lane == 0) {
        next[v] = __ffsll(~used) - 1;
        if (DETECT && clash) atomicOr(conflicts + v / 32, 1u << v % 32);
    }
}
