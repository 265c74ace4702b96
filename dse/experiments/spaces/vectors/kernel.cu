// vectors: z = a x y + z over four elements a thread, word by word or four words at a time; multiplied and added in one
// instruction or in two; and the exponential, fast or exact; and quotients.

constexpr int SCALAR = 0, VECTOR = 1, SEPARATE = 2, EXACT_EXP = 3, FAST_EXP = 4, DIVISION = 5;

extern "C" __global__ void vectors(const float4* __restrict__ x, float4* __restrict__ z, float a, int divisor)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (METHOD == VECTOR) {
        const float4 u = x[thread], v = z[thread];
        z[thread] = make_float4(fmaf(a, u.x, v.x), fmaf(a, u.y, v.y), fmaf(a, u.z, v.z), fmaf(a, u.w, v.w));
        return;
    }
    const float* in = reinterpret_cast<const float*>(x);
    float* out = reinterpret_cast<float*>(z);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int i = k * gridDim.x * blockDim.x + thread;
        if (METHOD == SCALAR) out[i] = fmaf(a, in[i], out[i]);
        if (METHOD == SEPARATE) out[i] = __fadd_rn(__fmul_rn(a, in[i]), out[i]);
        if (METHOD == EXACT_EXP) out[i] = expf(in[i]);
        if (METHOD == FAST_EXP) out[i] = __expf(in[i]);
        if (METHOD == DIVISION) out[i] = static_cast<float>(__float_as_int(in[i]) / (divisor + k));
    }
}
