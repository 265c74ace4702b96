// Sparse matrix times four vectors, a group of lanes a row; a vector's numbers lie in planes or beside those of the others.
constexpr int ROWS = 65536;

extern "C" __global__ void __launch_bounds__(THREADS)
csr_four_vectors_f32(const int* __restrict__ offsets, const int* __restrict__ columns, const float* __restrict__ values,
                     const float* __restrict__ x, float* __restrict__ y)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, row = id / LANES, lane = id % LANES, end = offsets[row + 1];
    float s[4] = {};
    for (int k = offsets[row] + lane; k < end; k += LANES * AHEAD) {
        int col[AHEAD];
        float val[AHEAD];
#pragma unroll
        for (int u = 0; u < AHEAD; ++u) {
            const bool in = k + u * LANES < end;
            col[u] = in ? columns[k + u * LANES] : 0;
            val[u] = in ? values[k + u * LANES] : 0.0f;
        }
#pragma unroll
        for (int u = 0; u < AHEAD; ++u) {
            float f[4];
            if (TOGETHER) {
                const float4 p = reinterpret_cast<const float4*>(x)[col[u]];
                f[0] = p.x, f[1] = p.y, f[2] = p.z, f[3] = p.w;
            } else {
#pragma unroll
                for (int j = 0; j < 4; ++j) f[j] = x[j * ROWS + col[u]];
            }
#pragma unroll
            for (int j = 0; j < 4; ++j) s[j] += val[u] * f[j];
        }
    }
    __syncwarp();
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1)
#pragma unroll
        for (int j = 0; j < 4; ++j) s[j] += __shfl_xor_sync(~0u, s[j], d);
    if (lane == 0) {
        if (TOGETHER) reinterpret_cast<float4*>(y)[row] = make_float4(s[0], s[1], s[2], s[3]);
        else {
#pragma unroll
            for (int j = 0; j < 4; ++j) y[j * ROWS + row] = s[j];
        }
    }
}
