// Updates by warps that share lines, of which every second one begins DELAY cycles later: its fetches meet the writes of the others.
extern "C" __global__ void write_meets_fetch(unsigned* data, unsigned* other) {
    const size_t at = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) + SHIFT / 4;
    if (DELAY && (threadIdx.x >> 5 & 1)) { long long t = clock64(); while (clock64() - t < DELAY) {} }
    const unsigned x = data[at];
    (IN_PLACE ? data : other)[at] = x + 1;
}
