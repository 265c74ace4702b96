// Gradient of layer norm: a block takes ROWS_EACH rows one after the other and keeps its columns' share of
// the gradients of gamma and beta in registers; VECTOR floats an access.
struct alignas(4 * VECTOR) Pack { float v[VECTOR]; };
__device__ float2 total(float a, float b, float2* scratch) {
    for (int o = 16; o; o >>= 1) {
        a += __shfl_xor_sync(~0u, a, o);
        b += __shfl_xor_sync(~0u, b, o);
    }
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = make_float2(a, b);
    __syncthreads();
    float2 sum = make_float2(0.0f, 0.0f);
#pragma unroll
    for (int i = 0; i < BLOCK_SIZE / 32; ++i) {
        sum.x += scratch[i].x;
        sum.y += scratch[i].y;
    }
    __syncthreads();
    return sum;
}

extern "C" __global__ void layer_norm_backward(const Pack* __restrict__ x, const Pack* __restrict__ dy,
                                               const Pack* __restrict__ gamma, Pack* __restrict__ dx,
                                               Pack* __restrict__ dgamma, Pack* __restrict__ dbeta) {
    constexpr int vectors = COLUMNS / VECTOR, each = vectors / BLOCK_SIZE;
    __shared__ float2 scratch[BLOCK_SIZE / 32];
    Pack g_sum[each] = {}, b_sum[each] = {};
    for (int r = 0; r < ROWS_EACH; ++r) {
        size_t base = ((size_t)blockIdx.x * ROWS_EACH + r) * vectors + threadIdx.x;
        Pack a[each], d[each];
        float s = 0.0f, q = 0.0f;
#pragma unroll
        for (int i = 0; i < each; ++i) {
            a[i] = x[base + i * BLOCK_SIZE];
            d[i] = dy[base + i * BLOCK_SIZE];
#pragma unroll
            for (int k = 0; k < VECTOR; ++k) {
                s += a[i].v[k];
                q = fmaf(a[i].v[k], a[i].v[k], q);
            }
        }
        float2 t = total(s, q, scratch);
        float mean = t.x / COLUMNS, inverse = rsqrtf(t.y / COLUMNS - mean * mean + 1e-5f);
        s = q = 0.0f;
#pragma unroll
        for (int i = 0; i < each; ++i) {
            Pack g = gamma[threadIdx.x + i * BLOCK_SIZE];
#pragma unroll
            for (int k = 0; k < VECTOR; ++k) {
                float hat = (a[i].v[k] - mean) * inverse;
                g_sum[i].v[k] = fmaf(d[i].v[k], hat, g_sum[i].v[k]);
                b_sum[i].v[k] += d[i].v[k];
                a[i].v[k] = hat;
                d[i].v[k] *= g.v[k];
                s += d[i].v[k];
                q = fmaf(d[i].v[k], hat, q);
            }
        }
        t = total(s, q, scratch);
#pragma unroll
        for (int i = 0; i < each; ++i) {
#pragma unroll
            for (int k = 0; k < VECTOR; ++k)
                d[i].v[k] = inverse * (d[i].v[k] - (t.x + a[i].v[k] * t.y) / COLUMNS);
            dx[base + i * BLOCK_SIZE] = d[i];
        }
    }
#pragma unroll
    for (int i = 0; i < each; ++i) {
        dgamma[blockIdx.x * vectors + threadIdx.x + i * BLOCK_SIZE] = g_sum[i];
        dbeta[blockIdx.x * vectors + threadIdx.x + i * BLOCK_SIZE] = b_sum[i];
    }
}
