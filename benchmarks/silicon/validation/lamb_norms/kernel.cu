// LAMB, stage one: the Adam direction plus decay, and the sums of squares of weights and direction,
// through shuffles, shared memory and one atomic addition a block.
struct alignas(4 * VECTOR) Pack { float v[VECTOR]; };

extern "C" __global__ void lamb_norms(const Pack* __restrict__ weight, const Pack* __restrict__ gradient,
                                      const Pack* __restrict__ first, const Pack* __restrict__ second,
                                      Pack* __restrict__ update, float* __restrict__ norms, int count) {
    __shared__ float2 part[BLOCK_SIZE / 32];
    float a = 0.0f, b = 0.0f;
    for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < count / VECTOR; i += gridDim.x * BLOCK_SIZE) {
        Pack w = weight[i], g = gradient[i], m = first[i], s = second[i];
#pragma unroll
        for (int k = 0; k < VECTOR; ++k) {
            float mean = 0.9f * m.v[k] + 0.1f * g.v[k], square = 0.999f * s.v[k] + 0.001f * g.v[k] * g.v[k];
            float u = mean * rsqrtf(square + 1e-12f) + 0.01f * w.v[k];
            a = fmaf(w.v[k], w.v[k], a);
            b = fmaf(u, u, b);
            g.v[k] = u;
        }
        update[i] = g;
    }
    for (int o = 16; o; o >>= 1) {
        a += __shfl_xor_sync(~0u, a, o);
        b += __shfl_xor_sync(~0u, b, o);
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = make_float2(a, b);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < BLOCK_SIZE / 32; ++w) {
            a += part[w].x;
            b += part[w].y;
        }
        atomicAdd(norms, a);
        atomicAdd(norms + 1, b);
    }
}
