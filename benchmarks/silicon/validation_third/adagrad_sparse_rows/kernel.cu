// AdaGrad on the rows of an embedding table that a batch touched, a warp a row. BY_ROW keeps one sum of squares a row,
// otherwise one an element.
struct alignas(4 * VEC) Floats { float v[VEC]; };

extern "C" __global__ void adagrad_sparse_rows(const int* __restrict__ order, const float* __restrict__ grad,
                                               float* __restrict__ table, float* __restrict__ state, float rate,
                                               int table_rows)
{
    const int at = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    const int row = (unsigned)order[at] * 40503u & (table_rows - 1);
    const Floats* g = reinterpret_cast<const Floats*>(grad + (size_t)at * DIM);
    Floats* w = reinterpret_cast<Floats*>(table + (size_t)row * DIM);
    constexpr int PER = DIM / (32 * VEC);
    Floats mine[PER];
#pragma unroll
    for (int k = 0; k < PER; ++k) mine[k] = g[k * 32 + lane];
#if BY_ROW
    float squares = 0.0f;
#pragma unroll
    for (int k = 0; k < PER; ++k)
#pragma unroll
        for (int i = 0; i < VEC; ++i) squares += mine[k].v[i] * mine[k].v[i];
    for (int m = 16; m > 0; m >>= 1) squares += __shfl_xor_sync(0xffffffff, squares, m);
    const float sum = state[row] + squares * (1.0f / DIM);
    __syncwarp();
    if (lane == 0) state[row] = sum;
    const float step = rate / (sqrtf(sum) + 1e-8f);
#pragma unroll
    for (int k = 0; k < PER; ++k) {
        Floats old = w[k * 32 + lane];
#pragma unroll
        for (int i = 0; i < VEC; ++i) old.v[i] -= step * mine[k].v[i];
        w[k * 32 + lane] = old;
    }
#else
    Floats* s = reinterpret_cast<Floats*>(state + (size_t)row * DIM);
#pragma unroll
    for (int k = 0; k < PER; ++k) {
        Floats old = w[k * 32 + lane], sum = s[k * 32 + lane];
#pragma unroll
        for (int i = 0; i < VEC; ++i) {
            sum.v[i] += mine[k].v[i] * mine[k].v[i];
            old.v[i] -= rate * mine[k].v[i] / (sqrtf(sum.v[i]) + 1e-8f);
        }
        s[k * 32 + lane] = sum;
        w[k * 32 + lane] = old;
    }
#endif
}
