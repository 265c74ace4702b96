// Twelve nonzeros follow each other in a row of the first mode.
constexpr int LANES = RANK / VEC;

struct alignas(VEC * 4) Pack { float v[VEC]; };

__device__ void add(float* to, const Pack& sum)
{
#pragma unroll
    for (int k = 0; k < VEC; ++k) atomicAdd(to + k, sum.v[k]);
}

extern "C" __global__ void __launch_bounds__(128)
mttkrp_coo(const int* __restrict__ order, const int* __restrict__ second, const int* __restrict__ third,
           const float* __restrict__ values, const Pack* __restrict__ b, const Pack* __restrict__ c, float* __restrict__ out)
{
    const int thread = blockIdx.x * 128 + threadIdx.x, lane = thread % LANES, first = thread / LANES * EACH;
    Pack sum = {};
    int row = order[first] / 12;
#pragma unroll 4
    for (int e = 0; e < EACH; ++e) {
        const int n = first + e, here = order[n] / 12;
        if (here != row) {
            add(out + row * RANK + lane * VEC, sum);
            sum = Pack{};
            row = here;
        }
        const float value = values[n];
        const Pack x = b[second[n] * LANES + lane], y = c[third[n] * LANES + lane];
#pragma unroll
        for (int k = 0; k < VEC; ++k) sum.v[k] += value * x.v[k] * y.v[k];
    }
    add(out + row * RANK + lane * VEC, sum);
}
