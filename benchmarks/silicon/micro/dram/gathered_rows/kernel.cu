// Rows of ROW bytes in an order that an index says: read (MODE 0), copied from such places to neighbouring ones (1), or from
// neighbouring ones to such places (2). A warp takes 512 bytes at a time, of one row or of several, LOADS times in flight.
constexpr unsigned PIECE = 512, LOADS = 4;

extern "C" __global__ void __launch_bounds__(256)
gathered_rows(const char* __restrict__ input, char* __restrict__ out, const int* __restrict__ index) {
    const unsigned lane = threadIdx.x % 32 * 16;
    const size_t first = ((size_t)blockIdx.x * 8 + threadIdx.x / 32) * LOADS * PIECE + lane;
    uint4 value[LOADS];
    size_t from[LOADS];
#pragma unroll
    for (unsigned k = 0; k < LOADS; ++k) {
        const size_t at = first + k * PIECE;
        from[k] = (ORDER ? (size_t)index[at / ROW] : at / ROW) * ROW + at % ROW;
    }
    unsigned all = 0;
#pragma unroll
    for (unsigned k = 0; k < LOADS; ++k) value[k] = __ldcg(reinterpret_cast<const uint4*>(input + (MODE == 2 ? first + k * PIECE : from[k])));
#pragma unroll
    for (unsigned k = 0; k < LOADS; ++k) {
        all |= value[k].x | value[k].y | value[k].z | value[k].w;
        if (MODE > 0) *reinterpret_cast<uint4*>(out + (MODE == 1 ? first + k * PIECE : from[k])) = value[k];
    }
    if (MODE == 0 && all == 0xffffffff) out[0] = 1;
}
