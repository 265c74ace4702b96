// One block of 1,024 threads an SM reads a region of its own, past L1, `passes` times: up to which size do whole lines
// that one SM reads stay in L2?
extern "C" __global__ void private_capacity(const float4* __restrict__ data, float* __restrict__ out, int vectors,
                                            int passes) {
    const float4* region = data + static_cast<long long>(blockIdx.x) * vectors;
    float sum = 0.0f;
    for (int pass = 0; pass < passes; ++pass) {
#pragma unroll 4
        for (int i = threadIdx.x; i < vectors; i += 1024) {
            const float4 v = __ldcg(region + i);
            sum += v.x + v.y + v.z + v.w;
        }
    }
    out[blockIdx.x * 1024 + threadIdx.x] = sum;
}
