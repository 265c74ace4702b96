// Gradient of softmax: dx = y * (dy - sum(y * dy)), one warp a row held in registers.
// VECTOR floats an access; the sum goes through shuffles.
struct alignas(4 * VECTOR) Pack { float v[VECTOR]; };

extern "C" __global__ void softmax_backward(const Pack* __restrict__ y, const Pack* __restrict__ dy,
                                            Pack* __restrict__ dx) {
    constexpr int each = COLUMNS / (32 * VECTOR);
    size_t row = blockIdx.x * WARPS + threadIdx.x / 32;
    size_t base = row * (COLUMNS / VECTOR) + threadIdx.x % 32;
    Pack a[each], b[each];
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < each; ++i) {
        a[i] = y[base + i * 32];
        b[i] = dy[base + i * 32];
    }
#pragma unroll
    for (int i = 0; i < each; ++i)
#pragma unroll
        for (int k = 0; k < VECTOR; ++k) sum = fmaf(a[i].v[k], b[i].v[k], sum);
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
#pragma unroll
    for (int i = 0; i < each; ++i) {
#pragma unroll
        for (int k = 0; k < VECTOR; ++k) a[i].v[k] *= b[i].v[k] - sum;
        dx[base + i * 32] = a[i];
    }
}
