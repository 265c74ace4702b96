// y = U x; entries left of the diagonal are not read, but for the one that shares an access with it.
struct alignas(VEC * 8) Pack { double d[VEC]; };

extern "C" __global__ void __launch_bounds__(WARPS * 32)
trmv_f64_upper_rows(const double* __restrict__ u, const double* __restrict__ x, double* __restrict__ y)
{
    const int lane = threadIdx.x % 32, id = blockIdx.x * WARPS + threadIdx.x / 32;
    const int row = MIXED ? (id % 2 ? SIDE - 1 - id / 2 : id / 2) : id;
    const Pack* p = reinterpret_cast<const Pack*>(u + (size_t)row * SIDE);
    const Pack* v = reinterpret_cast<const Pack*>(x);
    double sum = 0.0;
#pragma unroll 4
    for (int i = row / VEC + lane; i < SIDE / VEC; i += 32) {
        const Pack a = p[i], b = v[i];
#pragma unroll
        for (int j = 0; j < VEC; ++j) sum += i * VEC + j >= row ? a.d[j] * b.d[j] : 0.0;
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}
