// First stage of the gradients of a layer norm's weights and biases: a block takes 32 columns and CHUNK rows, BLOCK_Y
// rows at a time, and writes one partial sum a column.
extern "C" __global__ void layernorm_param_grads(const float* __restrict__ dy, const float* __restrict__ x,
                                                 const float* __restrict__ mean, const float* __restrict__ rstd,
                                                 float* __restrict__ part_gamma, float* __restrict__ part_beta,
                                                 int columns)
{
    __shared__ float sg[BLOCK_Y][33], sb[BLOCK_Y][33];
    constexpr int U = UNROLL;
    const int tx = threadIdx.x, ty = threadIdx.y, c = blockIdx.x * 32 + tx;
    const int first = blockIdx.y * CHUNK;
    float g = 0.0f, b = 0.0f;
#pragma unroll U
    for (int r = first + ty; r < first + CHUNK; r += BLOCK_Y) {
        const float d = dy[(size_t)r * columns + c];
        g += d * (x[(size_t)r * columns + c] - mean[r]) * rstd[r];
        b += d;
    }
    sg[ty][tx] = g;
    sb[ty][tx] = b;
    __syncthreads();
    for (int half = BLOCK_Y / 2; half > 0; half >>= 1) {
        if (ty < half) {
            sg[ty][tx] += sg[ty + half][tx];
            sb[ty][tx] += sb[ty + half][tx];
        }
        __syncthreads();
    }
    if (ty == 0) {
        part_gamma[(size_t)blockIdx.y * columns + c] = sg[0][tx];
        part_beta[(size_t)blockIdx.y * columns + c] = sb[0][tx];
    }
}
