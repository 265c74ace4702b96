// Gradients of tokens are added to the rows of a table by atomics of one, two or four numbers.
extern "C" __global__ void __launch_bounds__(128)
embed_grad_vector_atomics(const int* __restrict__ token, const float* __restrict__ dy, float* __restrict__ table)
{
    constexpr int DIM = 128, LANES = DIM / VEC, STEP = 128 / LANES;
    const int lane = threadIdx.x % LANES, first = blockIdx.x * STEP * EACH + threadIdx.x / LANES;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int at = first + e * STEP;
        float* to = table + (size_t)token[at] * DIM + lane * VEC;
        const float* from = dy + (size_t)at * DIM + lane * VEC;
        if constexpr (VEC == 4)
            atomicAdd(reinterpret_cast<float4*>(to), *reinterpret_cast<const float4*>(from));
        else if constexpr (VEC == 2)
            atomicAdd(reinterpret_cast<float2*>(to), *reinterpret_cast<const float2*>(from));
        else
            atomicAdd(to, *from);
    }
}
