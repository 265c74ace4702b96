// Three rows of a column are in registers; edges repeat.
constexpr int SIDE = 4096;
struct alignas(VEC * 8) Pack { double d[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
star2d5_f64_march_neighbours(const double* __restrict__ x, double* __restrict__ y)
{
    const int lane = threadIdx.x % 32, col = (blockIdx.x * THREADS + threadIdx.x) * VEC, row0 = blockIdx.y * RUN;
    const int west = max(col - 1, 0), east = min(col + VEC, SIDE - 1);
    auto row = [&](int r) { return *reinterpret_cast<const Pack*>(x + (size_t)min(max(r, 0), SIDE - 1) * SIDE + col); };
    Pack up = row(row0 - 1), mid = row(row0);
#pragma unroll 2
    for (int r = row0; r < row0 + RUN; ++r) {
        const Pack down = row(r + 1);
        double left, right;
        if (SHUFFLED) {
            left = __shfl_up_sync(~0u, mid.d[VEC - 1], 1);
            right = __shfl_down_sync(~0u, mid.d[0], 1);
            if (lane == 0) left = x[(size_t)r * SIDE + west];
            if (lane == 31) right = x[(size_t)r * SIDE + east];
        } else {
            left = x[(size_t)r * SIDE + west];
            right = x[(size_t)r * SIDE + east];
        }
        Pack o;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const double l = j ? mid.d[j ? j - 1 : 0] : left, k = j < VEC - 1 ? mid.d[j < VEC - 1 ? j + 1 : j] : right;
            o.d[j] = 0.4 * mid.d[j] + 0.15 * (up.d[j] + down.d[j] + l + k);
        }
        *reinterpret_cast<Pack*>(y + (size_t)r * SIDE + col) = o;
        up = mid;
        mid = down;
    }
}
