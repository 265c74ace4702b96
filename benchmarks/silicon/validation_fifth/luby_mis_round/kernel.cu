// An undecided vertex (0) joins (1) if its hash is above that of all undecided neighbours, or leaves (2) beside a member.
__device__ unsigned priority(unsigned v)
{
    v = (v ^ v >> 16) * 0x85ebca6bu;
    return (v ^ v >> 13) * 0xc2b2ae35u;
}

extern "C" __global__ void __launch_bounds__(256)
luby_mis_round(const int* __restrict__ neighbours, const unsigned char* __restrict__ state, unsigned char* __restrict__ next)
{
    const int thread = blockIdx.x * 256 + threadIdx.x, v = thread / LANES, lane = thread % LANES;
    const int length = MEAN / 2 + (v * 2654435761u >> 9) % (MEAN + 1);
    const int own = state[v];
    const unsigned mine = priority(v);
    bool beaten = false, beside = false;
    if (own == 0)
        for (int j = lane; j < length; j += LANES) {
            const int u = neighbours[v * (MEAN * 2) + j], other = state[u];
            beside |= other == 1;
            const unsigned theirs = priority(u);
            beaten |= other == 0 && (theirs > mine || theirs == mine && u > v);
            if (STOP && beside) break;
        }
    int flags = (beaten ? 1 : 0) | (beside ? 2 : 0);
#pragma unroll
    for (int d = LANES / 2; d > 0; d >>= 1) flags |= __shfl_xor_sync(0xffffffff, flags, d);
    if (lane == 0) next[v] = own ? own : flags & 2 ? 2 : flags & 1 ? 0 : 1;
}
