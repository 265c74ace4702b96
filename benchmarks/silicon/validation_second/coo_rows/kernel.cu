// Coordinate format, sorted by rows of MEAN entries. A warp takes 32 ITEMS entries in a row, 32 at a time;
// SEGMENTED adds up those of the same row by shuffles, so that only the first lane of a run adds to memory.
extern "C" __global__ void coo_rows(const int* __restrict__ order, const int* __restrict__ columns,
                                    const float* __restrict__ values, const float* __restrict__ x,
                                    float* __restrict__ y)
{
    const int lane = threadIdx.x & 31;
    const int warp = (blockIdx.x * THREADS + threadIdx.x) >> 5;
    for (int k = 0; k < ITEMS; ++k) {
        const int e = (warp * ITEMS + k) * 32 + lane;
        const int row = order[e] / MEAN;
        float p = values[e] * x[columns[e]];
#if SEGMENTED
        for (int d = 1; d < 32; d <<= 1) {
            const float q = __shfl_down_sync(0xffffffffu, p, d);
            const int r = __shfl_down_sync(0xffffffffu, row, d);
            if (lane + d < 32 && r == row) p += q;
        }
        const int previous = __shfl_up_sync(0xffffffffu, row, 1);
        if (lane == 0 || previous != row) atomicAdd(y + row, p);
#else
        atomicAdd(y + row, p);
#endif
    }
}
