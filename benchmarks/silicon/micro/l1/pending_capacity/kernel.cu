// How many loads of an SM may wait for lines on their way. Each warp loads LOADS words a lane: of one line of its own (OWN 1), each of
// another line (OWN 2), or 32 words that begin one word further each time and reach into a second line (OWN 3). The clock is read before, when all are issued, and when all
// are there.
extern "C" __global__ void pending_capacity(const char* __restrict__ data, int* __restrict__ issued, int* __restrict__ done,
                                            unsigned* __restrict__ sink) {
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const char* at = data + (long long)warp * (OWN == 2 ? LOADS : 2) * 128;
    unsigned x[LOADS], sum = 0;
    __syncthreads();
    const int begin = clock();
#pragma unroll
    for (int k = 0; k < LOADS; ++k)
        asm volatile("ld.global.ca.u32 %0, [%1];"
                     : "=r"(x[k])
                     : "l"(at + (OWN == 1 ? (lane ^ k) * 4 : OWN == 2 ? lane * 4 + k * 128 : (lane + k) * 4)));
    const int out = clock();
#pragma unroll
    for (int k = 0; k < LOADS; ++k) asm volatile("add.u32 %0, %0, %1;" : "+r"(sum) : "r"(x[k]));
    const int end = clock();
    if (lane == 0) {
        issued[warp] = out - begin;
        done[warp] = end - begin;
    }
    if (sum == 123456789u) sink[warp] = sum;
}
