// Cyclic shift and partition into windows, or its inverse; tokens have 96 channels, index arithmetic at run time.
struct alignas(VEC * 2) Pack { unsigned v[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(256)
window_partition_shift(const Pack* __restrict__ x, Pack* __restrict__ y, int side, int shift)
{
    constexpr int PER = 96 / VEC;
    const int windows = side / 8;
    int at = blockIdx.x * (256 * EACH) + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e, at += 256) {
        const int c = at % PER, token = at / PER;
        const int col = token % 8, row = token / 8 % 8, window = token / 64;
        const int wx = window % windows, wy = window / windows % windows, image = window / (windows * windows);
        int px = wx * 8 + col + shift, py = wy * 8 + row + shift;
        if (px >= side) px -= side;
        if (py >= side) py -= side;
        const int other = ((image * side + py) * side + px) * PER + c;
        if (BACK)
            y[other] = x[at];
        else
            y[at] = x[other];
    }
}
