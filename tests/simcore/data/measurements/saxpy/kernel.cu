extern "C" __global__ void saxpy(float a, const float* __restrict__ x, float* __restrict__ y)
{
    const int first = blockIdx.x * BLOCK_SIZE * ITEMS + threadIdx.x;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        const int i = first + k * BLOCK_SIZE;
        y[i] = a * x[i] + y[i];
    }
}
